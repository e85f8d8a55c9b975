# The image of controller and dispatcher: no browser, and nothing that builds.
#   docker build --file deploy/images/controller.Dockerfile --tag scrapeyard-controller .
# Put your scrapers in with an image of your own:
#   FROM scrapeyard-controller
#   COPY scrapers /scrapers
FROM python:3.12.12-slim-bookworm AS build
RUN pip install --no-cache-dir uv==0.13.8
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PROJECT_ENVIRONMENT=/opt/scrapeyard UV_PYTHON_DOWNLOADS=never
WORKDIR /src
COPY pyproject.toml uv.lock README.md LICENSE ./
RUN uv sync --locked --no-default-groups --no-install-project \
    --extra metrics --extra postgres --extra redis --extra s3 --extra server --extra tables
COPY src src
RUN uv sync --locked --no-default-groups --no-editable \
    --extra metrics --extra postgres --extra redis --extra s3 --extra server --extra tables

FROM python:3.12.12-slim-bookworm
# whoever runs in a container is nobody outside of it; a volume that is mounted here belongs to him too
RUN groupadd --gid 10001 yard \
    && useradd --uid 10001 --gid yard --no-create-home --home-dir /nowhere --shell /usr/sbin/nologin yard \
    && install --directory --owner yard --group yard /data \
    && install --directory /scrapers
COPY --from=build /opt/scrapeyard /opt/scrapeyard
ENV PATH=/opt/scrapeyard/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    SCRAPEYARD_DATA=/data SCRAPEYARD_SCRAPERS='["/scrapers"]' SCRAPEYARD_LOG__FORMAT=json
USER 10001:10001
WORKDIR /data
VOLUME ["/data", "/tmp"]
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["scrapeyard", "alive"]
ENTRYPOINT ["scrapeyard"]
CMD ["controller", "--host", "0.0.0.0"]
