# Installs deskbell $1 as root in a Debian system that nothing else uses, upgrades it to $2, which has
# a newer schema, rolls it back, removes and purges it. Prints "done" last if all was as expected.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
exec 2>&1

deskbell() { runuser -u deskbell -- deskbell "$@"; }
install_package() { apt-get install -q -y --allow-downgrades --no-install-recommends "$1"; }
fail() {
  echo "FAILED: $1"
  exit 1
}

# Starts the daemon with the command and the user of the unit. There is no systemd here.
start() {
  command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/deskbell.service | tr -d '"')
  install -d -m 0700 -o deskbell -g deskbell /var/cache/deskbell
  : >/tmp/log
  CACHE_DIRECTORY=/var/cache/deskbell STATE_DIRECTORY=/var/lib/deskbell \
    runuser -u deskbell -- $command --port 0 --log-format json 2>/tmp/log &
  daemon=$!
  until grep -q '"serving"' /tmp/log; do
    kill -0 $daemon || fail "the daemon has ended: $(cat /tmp/log)"
    sleep 0.1
  done
}
stop() {
  kill -TERM "$(cat /proc/$daemon/task/$daemon/children)"
  wait $daemon
}

install_package "$1"
[ "$(stat -c '%U %a' /var/lib/deskbell)" = "deskbell 700" ] || fail "the data folder is not private"
[ "$(stat -c '%U %a' /etc/deskbell.env)" = "root 600" ] || fail "the settings are not private"
[ -e /usr/share/man/man1/deskbell.1.gz ] || fail "there is no manual page"
systemd-analyze verify --man=no deskbell.service || fail "the unit is invalid"
[ -L /etc/systemd/system/multi-user.target.wants/deskbell.service ] || fail "the unit is not enabled"
deskbell seed salon
start
deskbell status
stop
echo '# my settings' >>/etc/deskbell.env

install_package "$2"
grep -q 'my settings' /etc/deskbell.env || fail "the upgrade has replaced the settings"
start
deskbell businesses list | grep -q salon-aurora || fail "the upgrade has lost the data"
stop

install_package "$1"
if deskbell businesses list; then fail "the older version uses the newer schema"; fi
deskbell restore "$(ls -t /var/lib/deskbell/backups/before-schema-*.db | head -n 1)" --yes
start
deskbell businesses list | grep -q salon-aurora || fail "the rollback has lost the data"
stop

apt-get remove -q -y deskbell
[ ! -e /usr/bin/deskbell ] || fail "the program was not removed"
[ -e /var/lib/deskbell/deskbell.db ] || fail "removal has deleted the data"
apt-get purge -q -y deskbell
[ ! -e /etc/deskbell.env ] || fail "purge has kept the settings"
[ -e /var/lib/deskbell/deskbell.db ] || fail "purge has deleted the data without an answer"

install_package "$1"
deskbell businesses list | grep -q salon-aurora || fail "the data cannot be used any more"
echo "deskbell deskbell/purge-data boolean true" | debconf-set-selections
apt-get purge -q -y deskbell
[ ! -e /var/lib/deskbell ] || fail "purge has kept the data although it was told to delete them"
echo done
