/** Receives events from lower layers. Fields never contain tokens, nor query values that may be personal. */
export interface Observer {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | undefined>>): void
}

export const silentObserver: Observer = { event: () => {} }
