# Cameras and sound cards that come and go while the producer streams: pictures again within a second, sound goes on, and
# no other camera is taken.
. "$(dirname "$0")/lib.sh"
