import type { Caller } from './caller.ts'
import { type Item, numberWith } from './number-bench.ts'

export const PATH = '/number_management/peering_numbers'
export const OWN = 5411
export const OTHER = 5457
export const NEW = {
  phone_number: '+442071230001',
  sip_trunk_name: 'exchange-5411-east',
  status: false,
}

export function some(count: number): (typeof NEW)[] {
  return Array.from({ length: count }, (_, n) => ({
    ...NEW,
    phone_number: `+4420712${40_000 + n}`,
  }))
}

export async function listOf(
  caller: Caller,
  query: Record<string, string> = {},
  path = PATH,
): Promise<Item[]> {
  return (await caller.drain(path, 'numbers', { page_size: '300', ...query })) as Item[]
}

export function byNumber(all: readonly Item[], number: Item | undefined): Item {
  return numberWith(all, { phone_number: number?.phone_number })
}
