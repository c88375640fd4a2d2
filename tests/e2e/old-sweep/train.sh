for r in 1 2 3; do
  [ "$CRESCENDO_TRIAL$r" = 12 ] && [ -e hold ] && sleep 100
  echo "{\"resource\": $r, \"metrics\": {\"loss\": 0.$((9 - r))}}" >&$CRESCENDO_FD
  read -r reply <&$CRESCENDO_FD || exit 0
  [[ $reply == *stop* ]] && exit 0
done
