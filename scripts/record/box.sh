#!/bin/bash
# Runs one recording where nothing of this machine can be seen: own network (loopback
# only), own host name, own processes, a home of its own under the neutral name
# /home/dev. What the agent writes to disk is therefore neutral from the start.
# None of the folders given may lie under /opt.
# usage: unshare -nmup --fork --kill-child --mount-proc box.sh CLIENTS RUST HERE WORK PROJECT
set -eu
clients=$1 rust=$2 here=$3 work=$4 project=$5
mount --make-rprivate /
hostname devbox
ip link set lo up
mount -t tmpfs none /opt
mkdir /opt/clients /opt/rust /opt/record /opt/work
mount --bind "$clients" /opt/clients
mount --bind "$rust" /opt/rust
mount --bind "$here" /opt/record
mount --bind "$work" /opt/work
mount -t tmpfs none /home
mkdir /home/dev
mount --bind /opt/work/home /home/dev
echo 'dev:x:1000:1000::/home/dev:/bin/bash' >/opt/passwd
mount --bind /opt/passwd /etc/passwd
for folder in /root /tmp "$clients" "$here" "$work"; do
  mount -t tmpfs none "/$(cut -d/ -f2 <<<"$folder")"
done
chmod 1777 /tmp
chown -R 1000:1000 /home/dev
cd "/home/dev/$project"
python3 -B /opt/record/model.py /opt/work/script.json "$PWD" 18080 /opt/work/requests.jsonl 2>/opt/work/model.log &
for _ in $(seq 50); do (exec 3<>/dev/tcp/127.0.0.1/18080) 2>/dev/null && break; sleep 0.1; done
setpriv --reuid=1000 --regid=1000 --clear-groups env -i HOME=/home/dev USER=dev LOGNAME=dev SHELL=/bin/bash \
  LANG=C.UTF-8 TERM=dumb PATH=/opt/work/bin:/opt/clients/node22/node_modules/.bin:/opt/rust/bin:/usr/bin:/bin \
  bash /opt/work/session.sh </dev/null >/opt/work/session.log 2>&1
