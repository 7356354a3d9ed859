import type { Company } from '../company/company.ts'
import type { Context } from './context.ts'

/** The named account's company, or the first one. */
export function companyOf(context: Context, account: string | undefined): Company {
  const id = account ?? context.apps[0]?.accountId ?? ''
  const company = context.companies.get(id)
  if (company === undefined) throw new RangeError(`no account ${id} in this sandbox`)
  return company
}
