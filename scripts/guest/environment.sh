# Sourced by setup and run: where the guest's files are. They are kept outside the source tree and are made anew when
# Debian's kernel package or the recipe changes.

guest_here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
guest_cache=${XDG_CACHE_HOME:-$HOME/.cache}/camo-producer/guest

# The package that linux-image-amd64 stands for, and its version; empty where apt has no lists.
guest_kernel_package() {
    apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/ { print $2; exit }'
}
guest_kernel_version() {
    apt-cache policy "$1" 2>/dev/null | awk '/Candidate:/ && $2 != "(none)" { print $2; exit }'
}

# guest_folder: sets `guest` to the folder for the present kernel and recipe. Without apt's lists an existing folder
# is good enough.
guest_folder() {
    local package version recipe
    recipe=$(cat "$guest_here"/{environment.sh,setup,initrd-init,modules,packages,camera-controls.c} | sha256sum | cut -c1-12)
    package=$(guest_kernel_package)
    version=$([ -z "$package" ] || guest_kernel_version "$package")
    if [ -n "$version" ]; then
        guest=$guest_cache/$package-$version-$recipe
    else
        guest=$(find "$guest_cache" -maxdepth 1 -type d -name "linux-image-*-$recipe" 2>/dev/null | sort | tail -n 1)
    fi
    [ -n "$guest" ]
}
