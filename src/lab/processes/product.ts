/** The product's own command line, observed: `product SETTINGS ARGUMENTS…` runs `countersign ARGUMENTS…`. */
import process from 'node:process';
import { main } from '../../cli/main.ts';
import { destinationOver } from '../destination.ts';
import { labDrafter } from '../drafting.ts';
import { faultPoints } from '../faults.ts';
import { journalAt } from '../journal.ts';
import { interceptorModules, observed } from '../observing.ts';
import { readSettings } from '../settings.ts';

const [node = '', script = '', path = '', ...args] = process.argv;
const settings = readSettings(path);
const note = journalAt(settings.journal, settings.by);
const faults = faultPoints(settings, note);

await main([node, script, ...args], {
  crash: { reach: (point) => (point === 'receiver.committed' ? undefined : faults.reach(point)) },
  recovery: { leaseMs: settings.leaseMs },
  receiver: (embedded) => destinationOver(embedded, settings, { note, faults }),
  drafter: labDrafter(settings, note),
  worker: {
    interceptorModules: interceptorModules(settings.incompatible),
    options: (options) => observed(options, note, settings.fault),
  },
});
