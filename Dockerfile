# One image for every role; `compose.yaml` shows how they work together. It adds only our code and npm packages to the Node image.

FROM node:24.21.0-bookworm-slim AS installed
WORKDIR /app
COPY package.json package-lock.json ./
# The video and AI packages contain their binaries, so their install scripts must download nothing.
ENV ONNXRUNTIME_NODE_INSTALL=skip SKIP_FFMPEG=true
RUN npm ci --include=dev --include=optional --no-audit --no-fund

FROM installed AS client
COPY scripts scripts
COPY src src
COPY public public
COPY index.html public.html vite.config.ts tsconfig.json ./
RUN node scripts/build-client.ts

FROM installed AS packages
# The base image already contains Node.
RUN npm prune --omit=dev --include=optional --no-audit --no-fund && rm -rf node_modules/node node_modules/.bin/node
# The AI packages contain binaries for every system, and builds that only browsers load.
RUN find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 -not -path "*/linux/$(node -p process.arch)" -exec rm -rf {} +
RUN find node_modules/onnxruntime-web/dist -type f -not -name 'ort.node.min.mjs' -not -name 'ort-wasm-simd-threaded.mjs' -not -name 'ort-wasm-simd-threaded.wasm' -delete
# Only editors and debuggers read these files.
RUN find node_modules -type f '(' -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' ')' -delete

FROM node:24.21.0-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data BACKUP_DIR=/backups AI_MODELS_DIR=/models
COPY --from=packages /app/node_modules node_modules
COPY --from=client /app/dist dist
COPY package.json models.lock.json LICENSE NOTICE ./
COPY scripts scripts
COPY src src
# A volume takes over the owner of the folder it is mounted on. The program writes its cache of compiled code itself.
RUN mkdir -p /data /backups /models node_modules/.cache && chown node:node /data /backups /models node_modules/.cache
USER node
VOLUME ["/data", "/backups", "/models"]
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=10s --start-period=60s --retries=4 CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/api/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "src/app/server/main.ts"]
