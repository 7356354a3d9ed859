import { padded } from '../../evidence/log/checkpoint.ts'
import type { LockedAnchor } from '../../evidence/log/locked-anchor.ts'
import type { BundleFacts } from '../proof/bundle-format.ts'

/** The newest checkpoints that third parties can confirm. */
export interface Anchors {
  /** A checkpoint with a time stamp; `chain` if the certificates above it are included. */
  stamp?: { size: number; chain: boolean }
  /** A checkpoint that a bucket locks against deletion. */
  lock?: { size: number; anchor: LockedAnchor | undefined }
}

/** Explains how a third party checks a bundle without our help, with common system tools. */
export function checkSteps(
  { entries, key, checkpoint }: Pick<BundleFacts, 'entries' | 'key' | 'checkpoint'>,
  anchors: Anchors,
): string {
  const follow = entries === 0 ? NOTHING_TO_FOLLOW : FOLLOW_ONE
  return `WHAT IS IN IT
  README.txt   what this is, what to conclude from it, and what it does not prove
  verify.html  a page that checks this zip file in your browser, from your disk, without a network
  *.xlsx       the workbook of the same days, if there is one
  bundle.json  what the bundle is of, for which case, how much of each is in it, and under which checkpoint
  files/       the archived files, each named by the SHA-256 that it came in with; files.ndjson lists
               them, and what became of the files that are not here, with reason and time
  records/     the records as the service sent them, one a line (one that spans lines has a file of its own)
  manifest.ndjson  for each file and record the entry that was made when it came in, and its proof; a file
               that was let go has one of kind "removal" too, and its content is not here
  slices.ndjson  how windows and lists of sessions were read, when that ran, and what was audited, as entries
               of kind "statement" say: by these alone days are proven to be read to their end, or not
  checkpoint   the signed state of the log of all entries of the account, as verifiers of transparency logs
               read it (c2sp.org/tlog-checkpoint), and checkpoint.vkey, their key for it. Lines of other names
               under it are cosignatures of witnesses (c2sp.org/tlog-cosignature), each of whom saw this log
               and no other; witnesses tells their keys and how many should be there. Take their keys from
               them: who made this bundle wrote the list
  older.ndjson the older states of the log, each with the proof that it goes on from there (RFC 6962)
  anchors/     what others can say of a checkpoint (.note), named by its number of entries: time stamps (.tsr)
               with the certificates above them (.pem), buckets where it is locked (.txt)

CHECK IT. Unpack, and in a shell (bash) in the folder:
1. The key. Compare with the fingerprint that you were told by another way; the rest hangs on it.
     openssl pkey -pubin -in key.pem -outform DER | sha256sum
   must be ${key}
2. Nothing in the bundle was changed, added or taken away.
     openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in SHA256SUMS -sigfile SHA256SUMS.sig
     sha256sum --quiet -c SHA256SUMS
     find . -type f | wc -l        must be 2 more than: wc -l < SHA256SUMS
   No file is another one than when it came in. This must print nothing:
     for f in files/*; do [ ! -f "$f" ] || [ "$(sha256sum < "$f" | cut -c1-64)" = "\${f#files/}" ] ||
       echo "$f CHANGED"; done
3. The checkpoint is signed, and is the one that you noted, if you noted one: the size and the root in it.
     t=$(mktemp -d); sed '/^$/,$d' checkpoint > $t/signed; tail -n 2 $t/signed
   must print the two parts of ${checkpoint}
     sed -n '/^$/,$p' checkpoint | sed -n 2p | sed 's/.* //' | base64 -d | tail -c 64 > $t/sig
     openssl pkeyutl -verify -pubin -inkey key.pem -rawin -in $t/signed -sigfile $t/sig
   A key of before signed it where checkpoint.vkey ends otherwise than this says with another "A" in front:
     openssl pkey -pubin -in key.pem -outform DER | tail -c 32 | base64
   One that you noted before must stand in older.ndjson:  grep -c 'SIZE:ROOT' older.ndjson
${follow}${[...stampLines(anchors), ...lockLines(anchors)].join('')}
All of this at once, and every entry: callsheet verify --bundle FILE.zip --key FINGERPRINT \\
  [--checkpoint SIZE:ROOT]
`
}

function stampLines({ stamp }: Anchors): string[] {
  if (stamp === undefined) return []
  const name = `anchors/${padded(stamp.size)}`
  const untrusted = stamp.chain ? ` -untrusted ${name}.pem` : ''
  return [
    `5. A time-stamp service confirmed when a checkpoint was there; its root is theirs to give you.
     openssl ts -verify -in ${name}.tsr -data ${name}.note -CAfile tsa-ca.pem${untrusted}
   What is over by now is checked as of the time that it says (-attime SECONDS):
     openssl ts -reply -in ${name}.tsr -text
   A time stamp ends with its certificate. The log states each stamp before the next one, which confirms it.
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
    `${step}. A bucket keeps a checkpoint from removal until ${lockedUntil}. With a key of
   your own that may read there, ask it for the very note; the second line must begin with
   ${sha256}
     aws s3api get-object ${one} locked.json
     sha256sum locked.json
   and since when it is there, and locked so that not even its owner can end it (COMPLIANCE):
     aws s3api head-object ${one}
`,
  ]
}

function quoted(word: string): string {
  return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const NOTHING_TO_FOLLOW = `4. manifest.ndjson is empty: there is no record or file to follow.
`

const FOLLOW_ONE = `4. Follow one record or file, here the first of manifest.ndjson:
     line=$(grep -Em1 '"kind":"(record|file)"' manifest.ndjson || sed -n 1p manifest.ndjson)
     entry=$(printf %s "$line" | sed 's/^{"entry":\\(.*\\),"salt":.*$/\\1/')
     field() { printf %s "$line" | sed "s/^.*,\\"$1\\":\\"*\\([0-9a-f]*\\).*$/\\1/"; }
   its content, with its salt, is what the entry committed to ("commitment" in the entry):
     printf '%s:%s' "$(field salt)" "$(field content)" | sha256sum; echo "$entry"
   what it is about, with its salt, is what the entry names ("subject" in it; version 1 tells it itself):
     hex() { printf "$(printf %s "$1" | sed 's/../\\\\x&/g')"; }
     about=$(printf %s "$line" | sed -n 's/.*,"subject":"\\([^"]*\\)","subject_salt".*/\\1/p'); echo "$about"
     [ -z "$about" ] || { hex "$(field subject_salt)"; printf %s "$about"; } | sha256sum
   the content is that of a file, files/$(field content), or of a record:
     while IFS= read -r r; do printf %s "$r" | sha256sum; done < records/whiteboard_activities.ndjson |
       grep -n "$(field content)"
   and the entry is a leaf of the log's Merkle tree (RFC 6962): hash it up along its path.
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
   or have a verifier of transparency logs do it (c2sp.org/tlog-proof, key checkpoint.vkey), which reads:
     echo c2sp.org/tlog-proof@v1; echo index $((seq - 1)); for p in $path; do echo $p; done; echo
     cat checkpoint
   A salt of null: an entry of kind "erasure" on the same subject comes after it, or "unsigned" tells why it
   was left out. Without either somebody took it: the entry still counts. An erasure has no content.
`
