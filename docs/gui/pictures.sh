#!/bin/bash
# Draws the pictures of the GUI's page from real recordings: exercises 01, 03 and 08 are recorded here, on the
# CPU, after measuring what it can do, and on the simulated GPU; recordings of real GPUs lie beside this script
# as *.hyp. With a folder as argument, every view of every recording in both themes and both sizes goes there.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HYPATIA_STATE=$work/state
hypatia=$root/hypatia

record() { # NAME EXERCISE DEVICE [--solution]
  "$hypatia" run "$2" --device "$3" ${4:-} --profile "$work/$1.hyp" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 1; }
}
"$hypatia" doctor --roofs >"$work/log" || { cat "$work/log" >&2; exit 1; }
for device in cpu sim; do
  for exercise in 01 03 08; do
    record "$exercise-$device" $exercise $device --solution
  done
  record "03-$device-start" 03 $device
done
for file in "$here"/*.hyp; do
  [[ -e $file ]] && cp "$file" "$work/"
done

# Before the picture: select the most expensive node, zoom where that shows more, open a body, write a note.
script() { # VIEW [CALL to show on the timeline]
  echo "view bars"
  echo "click choice/order/total"
  echo "view $1"
  echo "select most"
  [[ $1 == timeline ]] && echo "show call ${2:-}"
  [[ $1 == timeline && -n ${2:-} ]] && echo "wheel 420 300 -4" # so far out that an arrow ends in sight
  [[ $1 == graph && -n ${2:-} ]] && echo "click body/" # the first fused node
  [[ $1 == notes ]] && printf '%s\n' "click notes/field" "type Larger batches would fill the card." "click notes/add"
  [[ $1 == course ]] && printf '%s\n' "click exercise/03" "click choice/device/simulated GPU" "click course/run" "finish 300"
  echo "move 1 1"
}
picture() { # RECORDING VIEW THEME SIZE FILE [CALL]
  script "$2" "${6:-}" >"$work/script"
  local files=("$work/$1.hyp")
  [[ -e $work/$1-start.hyp ]] && files+=("$work/$1-start.hyp")
  "$hypatia" --no-setup gui "${files[@]}" --theme "$3" --size "$4" --script "$work/script" --screenshot "$5"
}
views() { "$hypatia" --no-setup gui --list-views | cut -d' ' -f1; }

if [[ -n ${1:-} ]]; then
  mkdir -p "$1"
  for file in "$work"/*.hyp; do
    name=$(basename "$file" .hyp)
    for view in $(views); do
      for theme in dark light; do
        for size in 1280x720 2560x1440; do
          picture "$name" "$view" $theme $size "$1/$name-$view-$theme-$size.png"
        done
      done
    done
  done
  exit 0
fi
for view in $(views); do
  picture 03-sim "$view" dark 1280x720 "$here/$view.png" 8
done
for view in bars summary nodes timeline histogram path graph rewrites compile roofline memory; do
  picture 03-cpu "$view" light 1280x720 "$here/cpu-$view.png"
done
for file in "$here"/*.hyp; do
  [[ -e $file ]] || continue
  name=$(basename "$file" .hyp)
  for view in bars summary nodes timeline histogram gaps path live graph roofline transfers launch memory; do
    picture "$name" "$view" dark 1280x720 "$here/$name-$view.png"
  done
done
