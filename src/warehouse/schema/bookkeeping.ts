/** The columns of each stream's table besides its declared ones: `OWNER` before, `BOOKKEEPING` after them. */
export const OWNER = {
  account: 'Name of the account in the configuration that the row belongs to.',
}

export const BOOKKEEPING = {
  _raw: 'The record as the service sent it, without what must never be stored.',
  _bytes: 'The bytes of the record as received; null where only _raw is kept.',
  _hash: 'Digest of the record, by which a change is noticed.',
  _first_seen_at: 'When the row was first read.',
  _changed_at: 'When the row got the values that it has now.',
  _deleted_at: 'When the row was found deleted; null while it is present.',
  _run_id: 'ID of the run that wrote this version of the row, from callsheet.runs.id.',
  _deleted_run_id: 'ID of the run that found the row deleted; null while it is present.',
  _salt:
    'Random bytes, without which the digest of the row in callsheet.written tells nothing of it.',
}

/** The additional columns of a version in the history. */
export const ENDING = {
  _valid_from: 'When the row got these values.',
  _valid_to: 'When the row stopped having these values.',
  _ended_by_run: 'ID of the run that ended this version, from callsheet.runs.id.',
  _end: 'How this version ended: changed, deleted, or left (not in the part kept since).',
}
