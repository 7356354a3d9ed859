import { EVENTS, REMOVAL } from './events.ts'

/** Why a column policy cannot name this field of notifications; undefined if it can. */
export function notificationRefusal(field: string, action: 'drop' | 'hash'): string | undefined {
  const events = [...EVENTS.values()]
  const having = events.filter(({ fields }) => Object.hasOwn(fields.shape, field))
  if (having.length === 0) return 'is not a documented field of any notification; remove it here'
  const needed = events.flatMap(({ event, fields, says, saysBy }) => {
    const states = [says, ...Object.values(saysBy?.by ?? {})].flatMap((one) => one?.key ?? [])
    const removal = event === REMOVAL ? Object.keys(fields.shape) : []
    return [...states, ...removal, ...(saysBy === undefined ? [] : [saysBy.field])]
  })
  if (needed.includes(field))
    return 'is needed to tell what a notification is about; remove it here'
  const fits = having.every(({ fields }) => fields.safeParse({ [field]: 'hmac:0' }).success)
  return action === 'drop' || fits
    ? undefined
    : 'has no free text, so a digest does not fit; drop it instead'
}
