# The image of a release: a static program that was built before, and nothing else. From a folder with `amd64/hardwon`,
# `arm64/hardwon` and an empty folder `data`:
#   docker buildx build --platform linux/amd64,linux/arm64 -f deploy/release.Dockerfile FOLDER
FROM scratch
ARG TARGETARCH
COPY --chmod=755 ${TARGETARCH}/hardwon /hardwon
COPY --chown=10001:10001 data /data
USER 10001:10001
ENV HARDWON_DB=/data/hardwon.db XDG_STATE_HOME=/data/state XDG_CONFIG_HOME=/data/config
VOLUME /data
EXPOSE 7433 7434
ENTRYPOINT ["/hardwon"]
# Reachable from outside only once there is a key: `docker run … hardwon key add --role owner` first.
CMD ["serve", "--listen", "0.0.0.0:7433", "--ops-listen", "0.0.0.0:7434"]
