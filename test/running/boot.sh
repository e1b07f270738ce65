#!/bin/sh
# Boots a copy of this machine by systemd, with a network of its own, and prints the process of its init; it is gone with this shell, which ends with its
# standard input. Run by `unshare --mount`. It gets the folder to stand in, then folders that can be read inside, each as FROM:TO.
set -eu
place=$1
shift
mount -t tmpfs -o mode=755 copy "$place"
mkdir "$place/upper" "$place/work" "$place/root"
mount -t overlay copy -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"
for folder in "$@"; do binds="${binds-} --bind-ro=$folder"; done
# What this machine starts is none of the page's business; what installing starts there is.
rm -rf "$place"/root/etc/systemd/system/multi-user.target.wants "$place"/root/etc/rc?.d/S* "$place/root/usr/sbin/policy-rc.d"
# shellcheck disable=SC2086
systemd-nspawn --quiet --register=no --keep-unit --private-network --resolv-conf=off --link-journal=no --kill-signal=SIGRTMIN+3 \
  --directory="$place/root" ${binds-} --boot > "$place/boot.log" 2>&1 < /dev/null &
machine=$!
trap 'kill $machine; wait $machine' EXIT
echo "$machine"
cat > /dev/null
