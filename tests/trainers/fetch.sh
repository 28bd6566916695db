#!/bin/sh
# Other versions of the trainers, each in a folder of its own, for tests/conform/test_trainers.py. Nothing is imported
# but their loss functions, so that their dependencies are not needed.
set -eu
folder=${1:?a folder to put them in}
for release in trl==0.19.1 trl==0.24.0 trl==1.8.0 verl==0.4.1 verl==0.7.1; do
    place="$folder/$(echo "$release" | sed 's/==/-/')"
    [ -d "$place" ] || python -m pip install --quiet --no-deps --target "$place" "$release"
done
