#!/bin/sh
# Creates and updates the Temporal server's two databases. Safe to run again, also after a half-done run: at v1.29.1
# `create` accepts a database that exists, `setup-schema -v 0.0` leaves a newer version alone, and `update-schema`
# runs only what is newer than the recorded version (tools/common/schema/setuptask.go, updatetask.go).
# The connection comes from SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
set -eu

# Where admin-tools.Dockerfile puts the schema of the server it was built with.
schema_directory=${SCHEMA_DIRECTORY:-/etc/temporal/schema/postgresql/v12}

prepare() {
  temporal-sql-tool --db "$1" create
  temporal-sql-tool --db "$1" setup-schema -v 0.0
  temporal-sql-tool --db "$1" update-schema -d "$schema_directory/$2/versioned"
}

prepare "${DBNAME:-temporal}" temporal
prepare "${VISIBILITY_DBNAME:-temporal_visibility}" visibility
