import { filesIn } from '../../src/core/files-in.ts'
import type { SandboxList } from '../protocol/sandbox-list.ts'

/** Loads the lists of the folder, so that a new file needs no registration. */
const lists: readonly SandboxList[] = (await loadAll('sandbox/lists')).flatMap(listsOf)

export const listRows = lists.flatMap(({ rows }) => rows ?? [])
export const listAnswers = Object.fromEntries(
  lists.flatMap(({ answers }) => Object.entries(answers)),
)
export const listTruths = Object.fromEntries(lists.flatMap(({ truths }) => Object.entries(truths)))
/** The scopes of these lists' operations. */
export const listScopes = Object.values(listAnswers).flatMap(({ scopes }) => scopes)

interface LoadedFile {
  address: string
  exported: Readonly<Record<string, unknown>>
}

async function loadAll(folder: string): Promise<LoadedFile[]> {
  const addresses = [...filesIn(folder).values()]
  return await Promise.all(
    addresses.map(async (address) => ({ address, exported: await import(address) })),
  )
}

function listsOf({ address, exported }: LoadedFile): SandboxList[] {
  const found = Object.values(exported).filter(isList)
  if (found.length === 0)
    throw new TypeError(`${address} does not export a list, an object with answers and truths`)
  return found
}

function isList(value: unknown): value is SandboxList {
  return typeof value === 'object' && value !== null && 'answers' in value && 'truths' in value
}
