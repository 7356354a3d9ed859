/**
 * Marks a place at which a process may be killed. Production has no listener, so it costs only a call; tests
 * install one, which kills, pauses or counts. Placed around each externally visible effect (a request, a
 * transaction, a file), never per row.
 */
export function point(name: PointName): Promise<void> | undefined {
  return listener?.(name)
}

/** A test's action at a point; the code continues when it resolves. */
export type PointListener = (name: PointName) => Promise<void> | undefined

/** For tests only: `test/tidy.test.ts` checks that the program never imports it. */
export function listenAtPoints(heard: PointListener | undefined): void {
  listener = heard
}

/** One for the process, because a kill is one for the process. */
let listener: PointListener | undefined

/** All points, so that a test can check that each was reached. */
export const POINTS = [
  'fetch:before',
  'fetch:after',
  'begin:before',
  'begin:after',
  'commit:before',
  'commit:after',
  'fingerprints:before',
  'fingerprints:after',
  'copy:before',
  'copy:after',
  'merge:before',
  'merge:after',
  'findings:before',
  'findings:after',
  'delete:before',
  'delete:after',
  'candidates:before',
  'candidates:after',
  'guard:before',
  'guard:after',
  'ledger:before',
  'ledger:after',
  'run:opening',
  'run:opened',
  'run:closing',
  'run:closed',
  'lease:taking',
  'lease:taken',
  'lease:renewing',
  'lease:renewed',
  'lease:releasing',
  'lease:released',
  'token:claiming',
  'token:claimed',
  'token:sending',
  'token:received',
  'token:persisted',
  'login:exchanging',
  'login:granted',
  'login:persisting',
  'login:persisted',
  'device:polling',
  'device:granted',
  'logout:revoking',
  'logout:revoked',
  'logout:forgetting',
  'logout:forgotten',
  'quota:reserving',
  'quota:reserved',
  'quota:giving-back',
  'quota:given-back',
  'label:holding',
  'label:held',
  'file:writing',
  'file:written',
  'file:synced',
  'file:renamed',
  'report:staged',
  'report:placing',
  'report:placed',
  'report:recording',
  'report:recorded',
  'download:before',
  'download:after',
  'draft:opened',
  'draft:written',
  'draft:synced',
  'draft:renamed',
  'store:flushed',
  'files:entering',
  'files:entered',
  'evidence:entering',
  'evidence:entered',
  'evidence:signing',
  'evidence:signed',
  'evidence:noting',
  'evidence:noted',
  'evidence:anchoring',
  'evidence:anchored',
  'evidence:witnessing',
  'evidence:cosigned',
  'evidence:witnessed',
  'prune:marking',
  'prune:marked',
  'prune:entered',
  'prune:removing',
  'prune:removed',
  'prune:finished',
  'retention:recorded',
  'retention:month',
  'retention:rows',
  'erase:suppressing',
  'erase:suppressed',
  'erase:files',
  'erase:files-done',
  'erase:rows',
  'erase:rows-done',
  'erase:ledgers',
  'erase:report',
  'erase:signed',
  'erase:finishing',
  'erase:finished',
] as const

export type PointName = (typeof POINTS)[number]
