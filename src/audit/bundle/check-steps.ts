import { padded } from '../../evidence/log/checkpoint.ts'
import type { LockedAnchor } from '../../evidence/log/locked-anchor.ts'
import type { BundleFacts } from '../proof/bundle-format.ts'

/** The newest checkpoints that third parties can confirm. */
export interface Anchors {
  /** A checkpoint with a time stamp; `chain` is true if the bundle includes the stamp's certificates. */
  stamp?: { size: number; chain: boolean }
  /** A checkpoint that a bucket locks against deletion. */
  lock?: { size: number; anchor: LockedAnchor | undefined }
}

/** Explains how a third party checks a bundle with common system tools, without Callsheet. */
export function checkSteps(
  { entries, key, checkpoint }: Pick<BundleFacts, 'entries' | 'key' | 'checkpoint'>,
  anchors: Anchors,
): string {
  const follow = entries === 0 ? NOTHING_TO_FOLLOW : FOLLOW_ONE
  return `WHAT IS IN IT
  README.txt       what this bundle is, what you may conclude from it, and what it does not prove
  verify.html      a page that checks this ZIP file in your browser, offline
  *.xlsx           the workbook of the same days, if there is one
  bundle.json      the scope of the bundle, its case, its counts, and the checkpoint that covers it
  files/           the archived files. Each is named by the SHA-256 that it had when it arrived
  files.ndjson     the list of files. If a file is not in the bundle, it gives the reason and the time
  records/         the records as the service sent them, one per line. A record that itself contains line
                   breaks has a file of its own
  manifest.ndjson  the log entry of each record and file, made when it arrived, with its proof. A removed
                   file also has an entry of kind "removal", and its content is not in the bundle
  slices.ndjson    how windows and lists of sessions were read, when runs took place, and what was audited,
                   as logged in entries of kind "statement". Only these prove that a day was read to its end
  checkpoint       the signed state of the account's log (c2sp.org/tlog-checkpoint). Further signature lines
                   are cosignatures of witnesses (c2sp.org/tlog-cosignature): each witness saw this log and
                   no other
  checkpoint.vkey  the key that signed the checkpoint, in the format of log verifiers
  witnesses        the witnesses' keys, and how many must have cosigned. Get the keys from the witnesses'
                   operators: whoever made this bundle wrote this list
  older.ndjson     older states of the log, each with the proof that the log continues it (RFC 6962)
  anchors/         what third parties confirm about a checkpoint (.note), named by its number of entries:
                   time stamps (.tsr) with their certificates (.pem), and buckets that lock it (.txt)

CHECK IT. Unpack the ZIP file, open a shell (bash) in its folder, and run:
1. The key. Compare it with the fingerprint that you received through another channel. All other steps
   depend on it.
     openssl pkey -pubin -in key.pem -outform DER | sha256sum
   must be ${key}
2. Nothing in the bundle was changed, added or removed.
     openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
     sha256sum --quiet -c SHA256SUMS
     find . -type f | wc -l        must be 2 more than: wc -l < SHA256SUMS
   Each file is the one that arrived. This must print nothing:
     for f in files/*; do [ ! -f "$f" ] || [ "$(sha256sum < "$f" | cut -c1-64)" = "\${f#files/}" ] ||
       echo "$f CHANGED"; done
3. The checkpoint is signed. If you saved a checkpoint, compare its size and root with this one.
     t=$(mktemp -d); sed '/^$/,$d' checkpoint > $t/signed; tail -n 2 $t/signed
   must print the two parts of ${checkpoint}
     sed -n '/^$/,$p' checkpoint | sed -n 2p | sed 's/.* //' | base64 -d | tail -c 64 > $t/sig
     openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in $t/signed -sigfile $t/sig
   An earlier key signed it if checkpoint.vkey does not end with what this prints:
     { printf '\\001'; openssl pkey -pubin -in key.pem -outform DER | tail -c 32; } | base64
   An older checkpoint that you saved must be in older.ndjson:  grep -c 'SIZE:ROOT' older.ndjson
${follow}${[...stampLines(anchors), ...lockLines(anchors)].join('')}
To check all of this and every entry at once: callsheet verify --bundle FILE.zip --key FINGERPRINT \\
  [--checkpoint SIZE:ROOT]
`
}

function stampLines({ stamp }: Anchors): string[] {
  if (stamp === undefined) return []
  const name = `anchors/${padded(stamp.size)}`
  const untrusted = stamp.chain ? ` -untrusted ${name}.pem` : ''
  return [
    `5. A time-stamp service confirmed when a checkpoint existed. It publishes its root (tsa-ca.pem).
     openssl ts -verify -in ${name}.tsr -data ${name}.note -CAfile tsa-ca.pem${untrusted}
   If a certificate has expired, check as of the stamp's own time (-attime SECONDS), which this prints:
     openssl ts -reply -in ${name}.tsr -text
   A time stamp counts until its certificate expires. The log contains each stamp before the next one is
   made, so that the next one confirms it.
`,
  ]
}

function lockLines({ lock, stamp }: Anchors): string[] {
  if (lock?.anchor === undefined) return []
  const { object, endpoint, version, lockedUntil, sha256 } = lock.anchor
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/s.exec(object) ?? []
  const one = [
    `--bucket ${quoted(bucket)} --key ${quoted(key)}`,
    version === null ? '' : ` --version-id ${quoted(version)}`,
    endpoint === null ? '' : ` --endpoint-url ${quoted(endpoint)}`,
  ].join('')
  const step = stamp === undefined ? 5 : 6
  return [
    `${step}. A bucket keeps a checkpoint until ${lockedUntil}. With credentials of your
   own that may read it, fetch the note from there. The output of sha256sum must begin with
   ${sha256}
     aws s3api get-object ${one} locked.json
     sha256sum locked.json
   This shows since when it exists, and whether even its owner cannot unlock it (mode COMPLIANCE):
     aws s3api head-object ${one}
`,
  ]
}

function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const NOTHING_TO_FOLLOW = `4. manifest.ndjson is empty: there is no record or file to trace.
`

const FOLLOW_ONE = `4. Trace one record or file, here the first in manifest.ndjson:
     line=$(grep -Em1 '"kind":"(record|file)"' manifest.ndjson || sed -n 1p manifest.ndjson)
     entry=$(printf %s "$line" | sed 's/^{"entry":\\(.*\\),"salt":.*$/\\1/')
     field() { printf %s "$line" | sed "s/^.*,\\"$1\\":\\"*\\([0-9a-f]*\\).*$/\\1/"; }
   The salt and the digest of the content give the "commitment" in the entry:
     printf '%s:%s' "$(field salt)" "$(field content)" | sha256sum; echo "$entry"
   The salt and the name of the subject give the "subject" in the entry (version 1 has the name itself):
     hex() { printf "$(printf %s "$1" | sed 's/../\\\\x&/g')"; }
     about=$(printf %s "$line" | sed -n 's/.*,"subject":"\\([^"]*\\)","subject_salt".*/\\1/p'); echo "$about"
     [ -z "$about" ] || { hex "$(field subject_salt)"; printf %s "$about"; } | sha256sum
   The content is that of the file files/$(field content), or of a record:
     while IFS= read -r r; do printf %s "$r" | sha256sum; done < records/whiteboard_activities.ndjson |
       grep -n "$(field content)"
   The entry is a leaf of the log's Merkle tree (RFC 6962). Hash it along its path up to the root:
     node=$({ hex 00; printf %s "$entry"; } | sha256sum | cut -c1-64)
     seq=$(printf %s "$entry" | sed 's/.*"seq":\\([0-9]*\\).*/\\1/')
     at=$((seq - 1)); n=$(sed -n 2p checkpoint)
     path=$(printf %s "$line" | sed 's/.*"path":\\[\\(.*\\)\\]}/\\1/' | tr -d '"' | tr , ' ')
     for one in $path; do
       p=$(printf %s "$one" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
       while [ $((at % 2)) = 0 ] && [ $((at + 1)) = $n ]; do at=$((at / 2)); n=$(((n + 1) / 2)); done
       if [ $((at % 2)) = 1 ]; then pair=01$p$node; else pair=01$node$p; fi
       node=$(hex $pair | sha256sum | cut -c1-64); at=$((at / 2)); n=$(((n + 1) / 2))
     done; hex $node | base64; sed -n 3p checkpoint          must be the same
   Or give this to a verifier of transparency logs (c2sp.org/tlog-proof, key checkpoint.vkey):
     echo c2sp.org/tlog-proof@v1; echo index $((seq - 1)); for p in $path; do echo $p; done; echo
     cat checkpoint
   If the salt is null, a later entry of kind "erasure" has the same subject, or "unsigned" says why the salt
   was left out. Otherwise somebody removed the salt; the entry still counts. An erasure has no content.
`
