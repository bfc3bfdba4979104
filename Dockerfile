# The Countersign worker, and the command line inside the same image.
#
# The tag: docker-library/official-images library/node before 72eb59d (which stopped rebuilding Node 20);
# nodejs/docker-node 20/bookworm-slim at 8e93bb0 has the user node (uid 1000) and Node's headers in /usr/local/include.
ARG NODE_IMAGE=node:20.20.2-bookworm-slim

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends ca-certificates g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# better-sqlite3 is the only dependency whose install script may run (package.json: allowScripts, which this image's
# npm 10 does not read). It is compiled from the locked source against the image's own headers: nothing is downloaded
# that the lock file does not name.
RUN npm ci --omit=dev --ignore-scripts \
  && npm_config_build_from_source=true npm_config_nodedir=/usr/local npm rebuild better-sqlite3 \
  && node --eval "new (require('better-sqlite3'))(':memory:').prepare('select sqlite_version()').get()"

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
  COUNTERSIGN_STATE=/var/lib/countersign
WORKDIR /app
# A new named volume takes over the owner and the mode of the folder it is mounted on.
RUN install --directory --owner=node --group=node --mode=0700 /var/lib/countersign
# The slim image has no certificate authorities; a Temporal server or a receiver behind TLS needs them.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /app/node_modules ./node_modules
COPY package.json package-lock.json tsconfig.json ./
COPY bin ./bin
COPY schema ./schema
COPY src ./src
COPY workflows ./workflows
COPY activities ./activities
COPY deploy/worker-health.mjs ./deploy/worker-health.mjs
USER node
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s --retries=3 \
  CMD ["node", "deploy/worker-health.mjs"]
# As process 1 Node would reap nobody: run the image with `init: true` or `docker run --init`.
ENTRYPOINT ["bin/countersign"]
CMD ["worker", "--state", "/var/lib/countersign"]
