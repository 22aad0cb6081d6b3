# One image for each service: `docker build --target selector .`, `--target proxy`, `--target registry` and `--target attach`.
#
# There is nothing to compile: Node runs the sources as they are. The base is the version of Node that the lock file holds for development, so
# that what was tested is what runs; a test compares the two. It is Debian's slim one rather than one without a shell, because those are
# tagged by Node's major version only.

FROM node:24.21.0-trixie-slim AS manifests
WORKDIR /app
# npm insists on the manifest of every workspace that the lock file names, although it installs only what one of them needs.
COPY package.json package-lock.json ./
COPY apps/attach/package.json apps/attach/
COPY apps/conformance/package.json apps/conformance/
COPY apps/proxy/package.json apps/proxy/
COPY apps/registry/package.json apps/registry/
COPY apps/report/package.json apps/report/
COPY apps/selector/package.json apps/selector/
COPY bench/package.json bench/
COPY distribution/package.json distribution/
COPY packages/core/package.json packages/core/
COPY packages/embeddings/package.json packages/embeddings/
COPY packages/mcp/package.json packages/mcp/
COPY packages/ranking/package.json packages/ranking/
COPY packages/clients/package.json packages/clients/
COPY packages/service/package.json packages/service/
COPY packages/registry/package.json packages/registry/
COPY packages/testkit/package.json packages/testkit/
COPY packages/wire/package.json packages/wire/

# The page of /docs is one file of a package whose dependencies are in that file.
FROM manifests AS docs-page
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace @winnow/service

FROM manifests AS selector-files
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @winnow/selector
COPY packages/core packages/core
COPY packages/embeddings packages/embeddings
COPY packages/ranking packages/ranking
COPY packages/service packages/service
COPY packages/clients packages/clients
COPY apps/selector apps/selector
COPY --from=docs-page /app/node_modules/openapi-explorer/dist/browser node_modules/openapi-explorer/dist/browser

FROM manifests AS proxy-files
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @winnow/proxy
COPY packages/core packages/core
COPY packages/embeddings packages/embeddings
COPY packages/ranking packages/ranking
COPY packages/service packages/service
COPY packages/clients packages/clients
COPY packages/wire packages/wire
COPY apps/proxy apps/proxy

FROM manifests AS registry-files
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @winnow/registry-app
COPY packages/core packages/core
COPY packages/embeddings packages/embeddings
COPY packages/ranking packages/ranking
COPY packages/mcp packages/mcp
COPY packages/registry packages/registry
COPY packages/service packages/service
COPY apps/registry apps/registry
COPY --from=docs-page /app/node_modules/openapi-explorer/dist/browser node_modules/openapi-explorer/dist/browser

FROM manifests AS attach-files
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @winnow/attach
COPY packages/core packages/core
COPY packages/ranking packages/ranking
COPY packages/service packages/service
COPY packages/clients packages/clients
COPY apps/attach apps/attach
COPY --from=docs-page /app/node_modules/openapi-explorer/dist/browser node_modules/openapi-explorer/dist/browser

# With `--build-arg MODEL=models/NAME`, a folder of the build context that holds model.onnx and tokenizer.json, the images of services that search have that model and the
# libraries that run it, some 300 MB more, and search by meaning with it. Without, this is an empty folder.

FROM node:24.21.0-trixie-slim AS model
ARG MODEL=
WORKDIR /opt/embedder
RUN --mount=type=bind,target=/context \
  if [ -n "$MODEL" ]; then \
    cp -RL "/context/$MODEL" model && chmod -R a+rX model && test -f model/model.onnx && test -f model/tokenizer.json && \
    npm install --ignore-scripts --no-audit --no-fund onnxruntime-node@1.30.0 @huggingface/tokenizers@0.2.0; \
  fi

FROM node:24.21.0-trixie-slim AS selector
ARG MODEL=
WORKDIR /app
COPY --from=selector-files /app /app
COPY --from=model /opt/embedder /opt/embedder
# An empty address counts as none.
ENV NODE_PATH=/opt/embedder/node_modules SELECTOR_EMBEDDER_ADDRESS=${MODEL:+onnx:/opt/embedder/model}
# On loopback no one outside the container could ask. Set SELECTOR_SERVER_TOKENS: without it, everyone who reaches the port may.
ENV NODE_ENV=production SELECTOR_SERVER_HOST=0.0.0.0
# What Node makes of the sources is kept here, by user, from one start to the next.
RUN install --directory --owner=1000 --group=1000 node_modules/.cache
# By number, so that Kubernetes can tell that it is not root. It is the user "node" of the base.
USER 1000:1000
# The first start of every container is as quick as any other.
RUN ["node", "apps/selector/src/main.ts", "--version"]
EXPOSE 8788
STOPSIGNAL SIGTERM
# With TLS it is asked over TLS.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --start-interval=1s --retries=3 \
  CMD ["sh", "-c", "exec node packages/service/src/health/main.ts \"${SELECTOR_SERVER_PORT:-8788}\" /readyz \"$SELECTOR_SERVER_TLS_FOLDER\" \"$SELECTOR_SERVER_CLIENT_CA_FILE\""]
CMD ["node", "apps/selector/src/main.ts"]

FROM node:24.21.0-trixie-slim AS proxy
ARG MODEL=
WORKDIR /app
COPY --from=proxy-files /app /app
COPY --from=model /opt/embedder /opt/embedder
ENV NODE_PATH=/opt/embedder/node_modules PROXY_EMBEDDER_ADDRESS=${MODEL:+onnx:/opt/embedder/model}
# The one folder that is written to. A new volume that is mounted there takes over its owner.
RUN install --directory --owner=1000 --group=1000 /var/lib/winnow node_modules/.cache
ENV NODE_ENV=production NODE_COMPILE_CACHE=/app/node_modules/.cache/winnow PROXY_SERVER_HOST=0.0.0.0 PROXY_SERVER_PORT=8787 PROXY_RECORDS_FILE=/var/lib/winnow/tool_discovery.jsonl
USER 1000:1000
RUN ["node", "apps/proxy/src/main.ts", "--version"]
EXPOSE 8787
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --start-interval=1s --retries=3 \
  CMD ["sh", "-c", "exec node packages/service/src/health/main.ts \"$PROXY_SERVER_PORT\" /_winnow/readyz \"$PROXY_SERVER_TLS_FOLDER\" \"$PROXY_SERVER_CLIENT_CA_FILE\""]
# The option: see "Memory" in docs/operations/sizing.md, "Sizing".
CMD ["node", "--max-semi-space-size=16", "apps/proxy/src/main.ts"]

FROM node:24.21.0-trixie-slim AS registry
ARG MODEL=
WORKDIR /app
COPY --from=registry-files /app /app
COPY --from=model /opt/embedder /opt/embedder
ENV NODE_PATH=/opt/embedder/node_modules REGISTRY_EMBEDDER_ADDRESS=${MODEL:+onnx:/opt/embedder/model}
# Where a file of tools goes, with REGISTRY_SQLITE_FILE=/var/lib/winnow/registry.sqlite and a volume that is mounted there.
RUN install --directory --owner=1000 --group=1000 /var/lib/winnow node_modules/.cache
# Tools in memory are gone with the container; the start says so. It does not start without REGISTRY_TOKENS_FILE.
ENV NODE_ENV=production REGISTRY_SERVER_HOST=0.0.0.0 REGISTRY_SQLITE_FILE=:memory:
USER 1000:1000
RUN ["node", "apps/registry/src/main.ts", "--version"]
EXPOSE 8789
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --start-interval=1s --retries=3 \
  CMD ["sh", "-c", "exec node packages/service/src/health/main.ts \"${REGISTRY_SERVER_PORT:-8789}\" /readyz \"$REGISTRY_SERVER_TLS_FOLDER\" \"$REGISTRY_SERVER_CLIENT_CA_FILE\""]
CMD ["node", "apps/registry/src/main.ts"]

FROM node:24.21.0-trixie-slim AS attach
WORKDIR /app
COPY --from=attach-files /app /app
# It does not start without ATTACH_SERVER_TOKENS, and changes nothing without ATTACH_LETTA_BASE_URL.
ENV NODE_ENV=production ATTACH_SERVER_HOST=0.0.0.0
RUN install --directory --owner=1000 --group=1000 node_modules/.cache
USER 1000:1000
RUN ["node", "apps/attach/src/main.ts", "--version"]
EXPOSE 8790
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --start-interval=1s --retries=3 \
  CMD ["sh", "-c", "exec node packages/service/src/health/main.ts \"${ATTACH_SERVER_PORT:-8790}\" /readyz \"$ATTACH_SERVER_TLS_FOLDER\" \"$ATTACH_SERVER_CLIENT_CA_FILE\""]
CMD ["node", "apps/attach/src/main.ts"]
