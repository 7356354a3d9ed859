/**
 * The kinds of apps, by how they obtain a token: on their own (`server-to-server`), or after a person has
 * approved them in a browser (`user-authorized`, and `public-client` without a secret) or on a second device
 * (`device`). Chatbots are not supported: their token allows only chatbot messages, so they can read no list.
 */
export const APP_KINDS = ['server-to-server', 'user-authorized', 'public-client', 'device'] as const

export type AppKind = (typeof APP_KINDS)[number]

/** Whether a person has to allow the app before there is a token. */
export function needsLogin(app: AppKind): boolean {
  return app !== 'server-to-server'
}

/** Whether a person allows the app in a browser, which then redirects to us. */
export function comesBack(app: AppKind): boolean {
  return app === 'user-authorized' || app === 'public-client'
}
