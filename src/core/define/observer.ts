/**
 * Where a layer below says what happened. Fields never hold tokens, nor query values that may be personal.
 */
export interface Observer {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | undefined>>): void
}

export const silentObserver: Observer = { event: () => {} }
