#!/bin/sh
# Creates the namespace and registers SEARCH_ATTRIBUTES (words NAME=TYPE), then proves that the server takes a query
# over all of them. Safe to run again. TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are read by the CLI itself.
set -eu
: "${TEMPORAL_ADDRESS:?}" "${TEMPORAL_NAMESPACE:?}" "${NAMESPACE_RETENTION:?}" "${SEARCH_ATTRIBUTES:?}"

# A server that was just started answers "not enough hosts" for a while, and each of its services learns of a new
# namespace or attribute only at its next look (every 2 s), so every step is tried for up to a minute.
retry() {
  tries_left=30
  until "$@"; do
    tries_left=$((tries_left - 1))
    if [ "$tries_left" -eq 0 ]; then
      echo "gave up: $*" >&2
      return 1
    fi
    sleep 2
  done
}

namespace() {
  temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1 ||
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$NAMESPACE_RETENTION"
}

# An attribute that exists with the same type is skipped by the server; one with another type is refused by the CLI.
search_attributes() {
  set --
  for attribute in $SEARCH_ATTRIBUTES; do
    set -- "$@" --name "${attribute%%=*}" --type "${attribute#*=}"
  done
  temporal operator search-attribute create "$@"
}

query_accepted() {
  query=''
  for attribute in $SEARCH_ATTRIBUTES; do
    query="$query${query:+ AND }${attribute%%=*} IS NOT NULL"
  done
  temporal workflow count --query "$query"
}

retry temporal operator cluster health
retry namespace
retry search_attributes
retry query_accepted
# The query asked the frontend; the history service has its own copy of the namespace, looked at every 2 s.
sleep 4
