import type { Op } from '../protocol/apply-ops.ts'
import type { Sizes } from '../seed-data/options.ts'

/** The changes to the company's numbers before a nightly sync. */
export interface NumberNight {
  at: string
  ops: readonly Op[]
}

/**
 * Returns a scenario for the number inventory, from spring to the demo's night. The Amsterdam office gets
 * ninety numbers of a block of a hundred; fifty are assigned at once and more each month, and some are
 * unassigned again, the last of them still in quarantine. Singapore has forty consecutive numbers that nobody
 * ever had. Two consent policies fill up, and a partner supplies some of Amsterdam's numbers, of which two do
 * not match. The last night is the demo's.
 */
export function numberStory({ numbers: first }: Sizes): readonly NumberNight[] {
  const block = Array.from({ length: 100 }, (_, n) => n).filter(
    (n) => !(n >= 40 && n < 45) && !(n >= 85 && n < 90),
  )
  const added = block.map((n, place): Op => {
    const assignee = place < 50 ? 100 + place : null
    return { kind: 'numbers', action: 'add', patch: { ...amsterdam(n), assignee } }
  })
  const idle = Array.from({ length: 40 }, (_, n): Op => {
    const supplied = { number: `+656555${String(1000 + n)}`, country: 'SG', group: 5, pci: false }
    return { kind: 'numbers', action: 'add', patch: { allocated_product: 'UNALLOCATED', supplied } }
  })
  const hand = (from: number, until: number): Op[] =>
    range(from, until).map((place) => change(first + place, 100 + place))
  const free = (from: number, until: number): Op[] =>
    range(from, until).map((place) => change(first + place, null))
  return [
    { at: '2026-04-02T03:00:00Z', ops: [...added, ...idle] },
    { at: '2026-05-05T03:00:00Z', ops: [...hand(50, 65), ...free(0, 3)] },
    { at: '2026-06-05T03:00:00Z', ops: [...hand(65, 75), ...free(3, 8)] },
    { at: '2026-06-26T03:00:00Z', ops: free(8, 12) },
    {
      at: '2026-07-08T02:30:00Z',
      ops: [...hand(75, 81), ...free(12, 14), ...policies(), ...partner()],
    },
  ]
}

function amsterdam(n: number) {
  const number = `+31205550${String(100 + n)}`
  const supplied = { number, country: 'NL', group: 3, pci: false }
  return { allocated_product: 'SVC_PHONE', site_id: 'site-Ams', supplied }
}

function change(index: number, assignee: number | null): Op {
  return { kind: 'numbers', action: 'change', index, patch: { assignee } }
}

/** Fills two policies: one has room for two more numbers, and one is full. */
function policies(): Op[] {
  const fill = (index: number, numbers: number, capacity: number): Op => ({
    kind: 'consents',
    action: 'change',
    index,
    patch: { numbers, capacity },
  })
  return [fill(1, 48, 50), fill(3, 25, 25)]
}

/**
 * Lets a partner supply six of Amsterdam's numbers. One that is used is inactive at the partner, and one is
 * allocated to another product.
 */
function partner(): Op[] {
  return range(20, 26).map((n) => ({
    kind: 'peering',
    action: 'add',
    patch: {
      added: {
        phone_number: amsterdam(n).supplied.number,
        carrier_code: 5457,
        number_type: 'Toll',
      },
      allocated_product: n === 21 ? 'SVC_CONTACT_CENTER' : 'SVC_PHONE',
      sip_trunk_name: 'exchange-5457-east',
      status: n !== 20,
    },
  }))
}

function range(from: number, until: number): number[] {
  return Array.from({ length: until - from }, (_, n) => from + n)
}
