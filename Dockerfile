# The daemon in a container. One directory is mounted, /var/lib/quoin: quoin.yaml, the agent key (mode 0600, owned by uid 1000)
# and the ledger, so that paths in the configuration stay relative to it. No secret is part of the image.
#
#   docker build -t quoin .
#   docker run --init --stop-timeout 30 -v "$PWD/live:/var/lib/quoin" -p 127.0.0.1:9464:9464 quoin
#
# --stop-timeout: Quoin goes on canceling for up to 25 s before it gives up; Docker's own default would kill it after 10.
# server.host must be 0.0.0.0 inside a container for -p to reach it, with server.tokenFile said; publish it on 127.0.0.1 as above.

# The tag is the runtime that package.json pins; a test holds the two together.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The base image brings the runtime, so the platform packages (optional dependencies) stay out.
RUN npm ci --omit=dev --omit=optional --ignore-scripts
RUN mkdir empty

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json LICENSE ./
COPY config ./config
COPY strategies ./strategies
COPY src ./src
COPY --from=dependencies --chown=node:node /app/empty /var/lib/quoin

USER node
VOLUME /var/lib/quoin
EXPOSE 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9464/livez').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/src/start.js"]
CMD ["run", "--config", "/var/lib/quoin/quoin.yaml"]
