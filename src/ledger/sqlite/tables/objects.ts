/** Table `objects`: what the ledger knows of the things operations act on. */
import type { Database } from 'better-sqlite3';
import type { ObjectRecord } from '../../../core/records.ts';

interface Row {
  object_id: string;
  version: number;
  scope: string;
  permitted: number;
}

export function objectsTable(db: Database) {
  const get = db.prepare<[string], Row>('SELECT object_id, version, scope, permitted FROM objects WHERE object_id = ?');
  const put = db.prepare<[string, number, string, number]>(
    `INSERT INTO objects (object_id, version, scope, permitted) VALUES (?, ?, ?, ?)
     ON CONFLICT (object_id) DO UPDATE SET version = excluded.version, scope = excluded.scope,
       permitted = excluded.permitted`,
  );
  return {
    get(objectId: string): ObjectRecord | null {
      const row = get.get(objectId);
      if (!row) return null;
      return { objectId: row.object_id, version: row.version, scope: row.scope, permitted: row.permitted === 1 };
    },
    put(object: ObjectRecord): void {
      put.run(object.objectId, object.version, object.scope, object.permitted ? 1 : 0);
    },
  };
}
