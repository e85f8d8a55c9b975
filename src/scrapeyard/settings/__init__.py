"""Everything that can be set, as one typed tree, read once at the edge; a file for each theme."""

from scrapeyard.settings.channels import AppriseChannelSettings, WebhookChannelSettings
from scrapeyard.settings.doors import ApiSettings, LogSettings, MetricsSettings
from scrapeyard.settings.proxies import (
    BrightDataProxies,
    IpRoyalProxies,
    IpRoyalStaticProxies,
    ListedProxies,
    ProxyScrapeProxies,
    TierSettings,
    UnlockerProxies,
    WebshareProxies,
)
from scrapeyard.settings.sites import HttpSettings, SiteSettings
from scrapeyard.settings.storage import StorageSettings
from scrapeyard.settings.tree import Settings
from scrapeyard.settings.work import ClerkSettings, DispatcherSettings, ScaleSettings, WorkerSettings

__all__ = [
    "ApiSettings",
    "AppriseChannelSettings",
    "BrightDataProxies",
    "ClerkSettings",
    "DispatcherSettings",
    "HttpSettings",
    "IpRoyalProxies",
    "IpRoyalStaticProxies",
    "ListedProxies",
    "LogSettings",
    "MetricsSettings",
    "ProxyScrapeProxies",
    "ScaleSettings",
    "Settings",
    "SiteSettings",
    "StorageSettings",
    "TierSettings",
    "UnlockerProxies",
    "WebhookChannelSettings",
    "WebshareProxies",
    "WorkerSettings",
]
