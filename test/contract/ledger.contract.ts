// The contract of every ledger, as one suite: an adapter runs it with its own way to make one. There is no fake ledger:
// the SQLite one is fast enough for every test, so a second implementation would only be another thing to keep right.
import { describe } from 'vitest';
import { World, type MakeLedger, type MakeWorld } from '../support/ledger-world.ts';
import { admission } from './ledger/admission.ts';
import { changes } from './ledger/changes.ts';
import { claims } from './ledger/claims.ts';
import { decisions } from './ledger/decisions.ts';
import { drafts } from './ledger/drafts.ts';
import { evidence } from './ledger/evidence.ts';
import { journal } from './ledger/journal.ts';
import { reading } from './ledger/reading.ts';
import { runs } from './ledger/runs.ts';
import { resolutions } from './ledger/resolutions.ts';
import { restoring } from './ledger/restoring.ts';
import { time } from './ledger/time.ts';

export function ledgerContract(name: string, makeLedger: MakeLedger): void {
  const make: MakeWorld = (settings) => new World(makeLedger(settings));
  describe(`${name} ledger`, () => {
    describe('admit', () => admission(make));
    describe('decide', () => decisions(make));
    describe('revise, withdraw, settle', () => changes(make));
    describe('claim', () => claims(make));
    describe('complete, observe', () => evidence(make));
    describe('resolve', () => resolutions(make));
    describe('drafts', () => drafts(make));
    describe('runs', () => runs(make));
    describe('time', () => time(make));
    describe('journal', () => journal(make));
    describe('reading', () => reading(make));
    describe('an older copy', () => restoring(make));
  });
}
