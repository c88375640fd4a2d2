#!/usr/bin/env bash
# Builds `make light` on another release of Debian or Ubuntu, and runs the first example there. Needs root, debootstrap,
# a network, and ten minutes of processor time.
#
#   tests/elsewhere.sh RELEASE           as root, with the release's packages
#   tests/elsewhere.sh RELEASE --bare    as a user without root, with only a compiler and MPICH
#
# RELEASE is its name in the archive: trixie, noble, jammy.
set -euo pipefail

release=${1:?usage: tests/elsewhere.sh RELEASE [--bare]}
bare=${2:-}
checkout=$(cd "$(dirname "$0")/.." && pwd)
root=${CRESCENDO_ELSEWHERE:-/var/tmp/crescendo-elsewhere}/$release${bare}

# The mounts belong to this process and end with it.
if [ -z "${CRESCENDO_UNSHARED:-}" ]; then
    CRESCENDO_UNSHARED=yes exec unshare --mount "$0" "$@"
fi

if [ ! -e "$root/etc/debian_version" ]; then
    archive=http://deb.debian.org/debian components=main
    if ! curl -fsI "$archive/dists/$release/Release" >/dev/null; then
        archive=http://archive.ubuntu.com/ubuntu components=main,universe
    fi
    # All releases of a distribution are made the same way, including those that this debootstrap does not know yet.
    script=$([[ $archive = *ubuntu* ]] && echo gutsy || echo sid)
    debootstrap --variant=minbase --no-check-gpg --include=ca-certificates --components=$components \
        "$release" "$root" "$archive" "/usr/share/debootstrap/scripts/$script"
fi
mount --bind /proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t devpts devpts "$root/dev/pts"
mount -t tmpfs shm "$root/dev/shm"
cp /etc/resolv.conf "$root/etc/"
cp -r /usr/local/share/ca-certificates "$root/usr/local/share/"  # certificate authorities of the site
rm -rf "$root/src"
mkdir "$root/src"
git -C "$checkout" ls-files -z | tar -C "$checkout" --null -T - -c | tar -x -C "$root/src"

packages=(make)
user=root
if [ -n "$bare" ]; then
    packages+=(g++ bzip2 xz-utils curl python3-venv libmpich-dev mpich)
    user=user
    chroot "$root" id user >/dev/null 2>&1 || chroot "$root" useradd -m user
    chroot "$root" chown -R user /src
fi
chroot "$root" bash -euc "export DEBIAN_FRONTEND=noninteractive; update-ca-certificates >/dev/null 2>&1; apt-get -qq update
    apt-get -qq install -y --no-install-recommends ${packages[*]} >/dev/null"
chroot --userspec=$user "$root" env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin LC_ALL=C.UTF-8 \
    HOME="$(chroot "$root" bash -c "echo ~$user")" ${PIP_CERT:+"PIP_CERT=$PIP_CERT"} bash -euc '
        cd /src
        make light
        export PATH=/src/build/light/bin:$PATH
        crescendo doctor /tmp || true
        cd examples/python
        crescendo run sweep.yaml --dir "$(mktemp -d)/sweep"'
