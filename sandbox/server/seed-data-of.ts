import type { SeedData } from '../seed-data/seed-data.ts'
import type { SandboxContext } from './context.ts'

/** Returns the company of the named account, or of the first one. */
export function seedDataOf(context: SandboxContext, account: string | undefined): SeedData {
  const id = account ?? context.apps[0]?.accountId ?? ''
  const seedData = context.seedDataByAccount.get(id)
  if (seedData === undefined) throw new RangeError(`no account ${id} in this sandbox`)
  return seedData
}
