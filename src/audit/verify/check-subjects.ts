import { nameOfSubject } from '../../evidence/log/entry.ts'
import { entrySubjects } from '../../evidence/sql/entry-subjects.ts'
import type { Transaction } from '../../warehouse/connect.ts'
import type { Verifying } from './verifying.ts'

/** Checks that the subjects of entries match the commitments in their lines. */
export async function checkSubjects(
  tx: Transaction,
  { account, findings }: Verifying,
): Promise<void> {
  for await (const { named, subject, salt } of entrySubjects(tx, account))
    if (nameOfSubject(subject, salt) !== named)
      findings.add('subject_wrong', `the entries that name ${named}`, {
        expected: 'a subject with that commitment',
        found: `${subject}, which has another`,
      })
}
