/** Receives events from lower layers. Fields never contain tokens, nor query values that may be personal. */
export interface Observer {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | undefined>>): void
}

export const silentObserver: Observer = { event: () => {} }

/** Adds the account to each event, so that every log line of its work names it in the same field. */
export function ofAccount({ event }: Observer, account: string): Observer {
  return { event: (name, fields) => event(name, { ...fields, account }) }
}
