/** The answers that a configuration needs. The last four contain secrets or belong to one. */
export interface Setup {
  name: string
  baseUrl: string
  authUrl: string
  accountId: string
  clientId: string
  clientSecret: string
  /** Empty without video sessions. */
  apiKey: string
  apiSecret: string
  /** Empty for an embedded Postgres. */
  databaseUrl: string
}

/** A file to write: its path, relative to the folder of the configuration, and its content. */
interface SecretFile {
  path: string
  text: string
}

export const SECRETS = 'secrets'

/** Returns the files of mode 0600 for the answers that are secrets. */
export function secretFiles({ name, clientSecret, apiSecret, databaseUrl }: Setup): SecretFile[] {
  const files = [
    { path: secretPath(name, 'client-secret'), text: clientSecret },
    { path: secretPath(name, 'video-secret'), text: apiSecret },
    { path: `${SECRETS}/database-url`, text: databaseUrl },
  ]
  return files.filter(({ text }) => text !== '')
}

function secretPath(account: string, what: string): string {
  return `${SECRETS}/${account}.${what}`
}

/**
 * Returns the configuration that `init` writes: settings without a default, and a pointer to all others.
 * Editors check it against `schema`; `example` contains every setting. Without answers, a person fills in the
 * rest.
 */
export function shortConfiguration(
  { schema, example }: { schema: string; example: string },
  setup?: Setup,
): string {
  const { name, baseUrl, authUrl } = setup ?? { name: 'main', ...SERVICE }
  const secret = `file:${secretPath(name, 'client-secret')}`
  const clientSecret = setup === undefined ? 'env:CALLSHEET_CLIENT_SECRET' : secret
  return `# yaml-language-server: $schema=./${schema}
#
# A setting that you leave out has its default. All settings, with their defaults and reasons:
# ${example}
# Do not write secrets here: env:NAME reads an environment variable, file:PATH a file of mode 0600.
# Relative paths start from the folder of this file.

accounts:
  # The name is in every row, so never change it later. Add more accounts as further entries of this list.
  - name: ${setup === undefined ? name : quoted(name)}
    # The address of the API, with its version, and of the authorization server.
    baseUrl: ${baseUrl}
    authUrl: ${authUrl}
    # The kind of app: server-to-server, user-authorized, public-client or device.
    app: server-to-server
    # From the app's page at the service. Put an ID that consists of digits in quotes.
    accountId: ${setup === undefined ? PLACEHOLDERS.accountId : quoted(setup.accountId)}
    clientId: ${setup === undefined ? PLACEHOLDERS.clientId : quoted(setup.clientId)}
    clientSecret: ${clientSecret}
    # The keys for video sessions and recordings. Without them, the jobs for these cannot run.
    ${videoSessions(setup)}

database:
  # Postgres 15 or newer, e.g. env:DATABASE_URL. null starts an embedded one, enough for one machine.
  url: ${setup === undefined || setup.databaseUrl === '' ? 'null' : `file:${SECRETS}/database-url`}
`
}

/** Returns true unless an account still has the placeholder of its client ID. */
export function isFilledIn(accounts: readonly Pick<Setup, 'clientId'>[]): boolean {
  return accounts.every(({ clientId }) => clientId !== PLACEHOLDERS.clientId)
}

function videoSessions(setup: Setup | undefined): string {
  if (setup === undefined || setup.apiKey === '')
    return '# videoSessions: {apiKey: your-key, apiSecret: env:CALLSHEET_VIDEO_SECRET}'
  const { name, apiKey } = setup
  return `videoSessions: {apiKey: ${quoted(apiKey)}, apiSecret: "file:${secretPath(name, 'video-secret')}"}`
}

/** Quotes a string: JSON's strings are valid in YAML. */
function quoted(text: string): string {
  return JSON.stringify(text)
}

export const SERVICE = { baseUrl: 'https://api.svc.example/v2', authUrl: 'https://svc.example' }
const PLACEHOLDERS = { accountId: 'your-account-id', clientId: 'your-client-id' }
