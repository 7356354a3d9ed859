/**
 * What `init` writes: the settings that have no default, and where all others are told. `schema` is the file
 * by which editors check it, `example` the one with every setting.
 */
export function shortConfiguration({ schema, example }: { schema: string; example: string }) {
  return `# yaml-language-server: $schema=./${schema}
#
# What is left out has its default. Every setting, with its default and the reason for it:
# ${example}
# Secrets are named, not written: env:NAME reads an environment variable, file:path a file (mode 0600).
# Relative paths start from the folder that this file lies in.

accounts:
  # The name is in every row, so never change it later. More accounts follow as further entries of the list.
  - name: main
    # Where the API answers, with its version, and the authorization server.
    baseUrl: https://api.svc.example/v2
    authUrl: https://svc.example
    # The kind of app: server-to-server, chatbot, user-authorized, public-client or device.
    app: server-to-server
    # From the app page of the service; identifiers that are made of digits stand in quotes.
    accountId: your-account-id
    clientId: your-client-id
    clientSecret: env:CALLSHEET_CLIENT_SECRET
    # For video sessions and recordings; without them those jobs cannot run.
    # videoSessions: {apiKey: your-key, apiSecret: env:CALLSHEET_VIDEO_SECRET}

database:
  # A Postgres 15 or newer, e.g. env:DATABASE_URL. null starts an embedded one, enough for one machine.
  url: null
`
}
