export type Grant =
  | 'account_credentials'
  | 'authorization_code'
  | 'refresh_token'
  | typeof DEVICE_GRANT

export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
