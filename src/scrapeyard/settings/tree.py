"""Everything that can be set, as one typed tree, read once at the edge.

Sources, the first that names a value wins: options of the command line, environment variables
(`SCRAPEYARD_WORKER__PROCESSES=4`), the file `scrapeyard.toml` in the present folder or the one named by
`SCRAPEYARD_CONFIG`, and the defaults below. Inner rooms never see this tree: `wiring` takes it apart.
"""

import os
from pathlib import Path
from typing import Self

from pydantic import SecretStr, model_validator
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from scrapeyard.model.ladder import DIRECT
from scrapeyard.model.place import parted
from scrapeyard.settings.channels import ChannelSettings
from scrapeyard.settings.doors import ApiSettings, LogSettings, MetricsSettings
from scrapeyard.settings.proxies import Name, ProxySettings, TierSettings
from scrapeyard.settings.sites import HttpSettings, SessionSettings, SiteSettings
from scrapeyard.settings.storage import StorageSettings
from scrapeyard.settings.work import ClerkSettings, DispatcherSettings, RetentionSettings, ScaleSettings, WorkerSettings


class Settings(BaseSettings):
    """The whole tree."""

    model_config = SettingsConfigDict(
        env_prefix="SCRAPEYARD_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
    )

    data: Path = Path("scrapeyard-data")
    """The folder for everything that is kept on this machine."""
    server: str = ""
    """Address of a controller that is asked instead of storage here, such as `http://yard.example:8080`."""
    key: SecretStr = SecretStr("")
    """The key for that controller; better given as SCRAPEYARD_KEY than in a file."""
    scrapers: tuple[str, ...] = ("scrapers",)
    """Where scrapers are looked for: files, folders and dotted packages. Installed entry points are found always."""
    storage: StorageSettings = StorageSettings()
    worker: WorkerSettings = WorkerSettings()
    dispatcher: DispatcherSettings = DispatcherSettings()
    clerk: ClerkSettings = ClerkSettings()
    retention: RetentionSettings = RetentionSettings()
    scale: ScaleSettings = ScaleSettings()
    http: HttpSettings = HttpSettings()
    sessions: SessionSettings = SessionSettings()
    sites: dict[str, SiteSettings] = {}
    """Limits by site name."""
    proxies: dict[Name, ProxySettings] = {}
    """Sets of proxies by a name of your choice."""
    channels: dict[Name, ChannelSettings] = {}
    """Whom alerts can reach, by a name of your choice."""
    tiers: dict[str, TierSettings] = {}
    """The ways to a site by tier: `direct`, `datacenter`, `residential`, `mobile`, or names of your own; a tier with a
    place, such as `residential:us-ca`, needs a section only where its price differs."""
    secrets_dir: Path | None = None
    """A folder in which each file holds one secret, for `secret://NAME`. `SCRAPEYARD_SECRET_NAME` in the environment
    comes first."""
    api: ApiSettings = ApiSettings()
    log: LogSettings = LogSettings()
    metrics: MetricsSettings = MetricsSettings()

    @model_validator(mode="after")
    def _tiers_have_proxies(self) -> Self:
        for name, tier in self.tiers.items():
            base, _ = parted(name)
            through = tier.proxies or self.tiers.get(base, tier).proxies
            if base != DIRECT and through not in self.proxies:
                raise PydanticCustomError(
                    "tier", "the tier {name} needs `proxies`, the name of a section [proxies.NAME]", {"name": name}
                )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Command line first, then environment, then file."""
        del dotenv_settings, file_secret_settings  # not read: one file format is enough
        path = Path(os.environ.get("SCRAPEYARD_CONFIG", "scrapeyard.toml"))
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, path)
