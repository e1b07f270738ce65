#!/bin/sh
# A copy of this machine that is gone with its last process: everything written goes to memory, processes and network are its own. Run by
# `unshare --mount --pid --net --fork`. It gets the folder to stand in, then the folders that are shared with the real machine up to `--`,
# then the command.
set -eu
place=$1
shift
if ! { mount -t tmpfs -o mode=755 copy "$place" && mkdir "$place/upper" "$place/work" "$place/root" &&
  mount -t overlay copy -o "lowerdir=/,upperdir=$place/upper,workdir=$place/work" "$place/root"; }; then
  echo 'this system lets nobody make a copy of itself (overlayfs)' >&2
  exit 77
fi
root=$place/root
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=755 run "$root/run"
mkdir -m 1777 "$root/run/lock"
mount -t tmpfs -o mode=1777 tmp "$root/tmp"
while [ "$1" != -- ]; do
  mkdir -p "$root$1"
  mount --bind "$1" "$root$1"
  shift
done
shift
ip link set lo up

printf '127.0.0.1 localhost atrium.example.com %s\n127.0.0.2 wiki.example.com notes.example.com\n::1 localhost\n' "$(hostname)" > "$root/etc/hosts"
# Nothing is started by being installed. What pages say of systemd is done by the scripts that packages bring for machines without it. A unit that a page
# writes has none, and sssd's gives sssd an option that it has no more: what their units say is started instead.
printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
cat > "$root/usr/local/sbin/systemctl" <<'EOF_SYSTEMCTL'
#!/bin/sh
[ "$1" = restart ] || exit 0
unit=/etc/systemd/system/$2.service
if [ "$2" = sssd ]; then unit=/lib/systemd/system/$2.service; fi
[ -f "$unit" ] || exec "/etc/init.d/$2" "$1"
export $(sed -n 's/^Environment=//p' "$unit")
cd /
user=$(sed -n 's/^User=//p' "$unit")
eval "setsid ${user:+setpriv --reuid=$user --regid=$user --init-groups} $(sed -n 's/^ExecStart=//p' "$unit")" < /dev/null >> "/var/log/$2.out" 2>&1 &
EOF_SYSTEMCTL
chmod 755 "$root/usr/sbin/policy-rc.d" "$root/usr/local/sbin/systemctl"
# Not exec: the first process of a system has to take leave of all that end.
chroot "$root" "$@"
