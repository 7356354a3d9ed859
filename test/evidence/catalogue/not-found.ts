import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ADDED, FILLED } from '../../helpers/evidence-stage.ts'
import { signSums } from '../sign-anew.ts'
import { type BundleTamper, type Role, type Tamper } from './tamper.ts'

/** A tamper that no check finds, as listed in the table of docs/evidence.md. */
interface NotFound {
  by: Role
  /** The tamper in the words of the table. */
  could: string
  /** The open question that `verify` reports about it, if any. */
  told?: RegExp
}

/** Undetected tampers with the database and the store. */
export const UNSEEN_ON_STAGE: readonly (NotFound & { does: Tamper[1] })[] = [
  {
    by: 'store',
    could: 'remove the note of the newest checkpoint',
    told: /^The note of the newest checkpoint \(over \d+ entries\), which the store does not have yet\.$/,
    does: (stage) => rm(join(stage.directory, 'notes', `checkpoint-0000${FILLED + 2 * ADDED}`)),
  },
]

/** Undetected tampers with a bundle by a key holder. */
export const UNSEEN_IN_BUNDLE: readonly (NotFound & { does: BundleTamper[1] })[] = [
  {
    by: 'holder',
    could: 'give a bundle a workbook that says something else than its records',
    does: (all, { key }) => {
      all.set('whiteboard-audit.xlsx', Buffer.from('another workbook'))
      signSums(all, key)
    },
  },
]
