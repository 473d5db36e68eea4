#!/bin/sh
# Draws the pictures of the GUI's page; with an argument, every view in both themes and sizes into that folder.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
gui=${HYPATIA_GUI:-$root/build/gui/hypatia-gui}
picture() { "$gui" --demo logistic-cuda --demo logistic-solution --node 2 "$@"; }
if [ -n "$1" ]; then
  mkdir -p "$1"
  for view in $("$gui" --list-views | cut -d' ' -f1); do
    for theme in dark light; do
      for size in 1280x720 2560x1440; do
        picture --view "$view" --theme $theme --size $size --screenshot "$1/$view-$theme-$size.png"
      done
    done
  done
  exit 0
fi
for view in bars timeline graph compare; do
  picture --view $view --size 1280x720 --screenshot "$root/docs/gui/$view.png"
done
