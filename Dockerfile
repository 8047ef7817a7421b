# The daemon in a container. One folder is mounted, /var/lib/quoin: quoin.yaml, the agent key (mode 0600, owned by uid 1000), the ledger,
# and strategies of your own beside the configuration that names them (strategy: ./mine.ts). No secret is part of the image.
#
#   npm pack                       # in a checkout: the package that the image installs
#   docker build -t quoin .
#   docker run --read-only --tmpfs /tmp --stop-timeout 40 -v "$PWD/live:/var/lib/quoin" -p 127.0.0.1:9464:9464 quoin
#   docker run --rm quoin check --config config/demo.yaml      # any command of quoin; in the container it is on the PATH
#   docker run --rm --network host quoin run --config config/demo.yaml      # the demo, on the host's own port 9464 (Linux)
#
# --stop-timeout: Quoin goes on canceling for up to 25 s before it gives up; Docker's own default would kill it after 10.
# server.host must be 0.0.0.0 inside a container for -p to reach it, with server.tokenFile said; publish it on 127.0.0.1 as above.
# PID 1 is the daemon itself: it has handlers for SIGTERM, SIGINT and SIGHUP and starts no process, so it needs no tini; with --init
# it works the same.

# The tag is the runtime that package.json pins; a test holds the two together. The digest is that of the index (amd64, arm64) under this
# tag, as public repositories pin it. Renew both together:
#   docker buildx imagetools inspect node:24.21.0-bookworm-slim
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS installed
WORKDIR /app
COPY quoin-*.tgz ./
RUN npm install --global --prefix . --ignore-scripts --no-audit ./quoin-*.tgz && rm quoin-*.tgz
RUN mkdir empty

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production QUOIN_CONFIG=/var/lib/quoin/quoin.yaml PATH=/app/bin:$PATH
# Below it lies config/, so that the shipped configurations are named as in a checkout.
WORKDIR /app/lib/node_modules/quoin/dist
COPY --from=installed /app/bin /app/bin
COPY --from=installed /app/lib /app/lib
COPY --from=installed --chown=node:node /app/empty /var/lib/quoin

# The image's user node, as a number: a cluster that wants runAsNonRoot cannot check a name.
USER 1000:1000
VOLUME /var/lib/quoin
EXPOSE 9464
STOPSIGNAL SIGTERM
# Docker marks a daemon unhealthy and does not restart it. Perl is in every Debian and starts sooner than Node. It reads the port in quoin.yaml.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["perl", "/app/lib/node_modules/quoin/dist/config/livez.pl", "/var/lib/quoin/quoin.yaml"]
ENTRYPOINT ["node", "/app/lib/node_modules/quoin/dist/src/start.js"]
CMD ["run", "--config", "/var/lib/quoin/quoin.yaml"]
