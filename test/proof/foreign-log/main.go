// Checks an unpacked bundle, and the tiles of its log, with the packages note and tlog of Go alone. Given is a
// folder with the bundle's checkpoint, checkpoint.vkey and manifest.ndjson, with checkpoints of before
// (before/*), and with the tiles (tiles/LEVEL/NUMBER). Ends with 1 at the first thing that is wrong.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type line struct {
	Entry json.RawMessage `json:"entry"`
	Proof []string        `json:"path"`
}

func main() {
	if err := check(os.Args[1]); err != nil {
		fmt.Println("wrong:", err)
		os.Exit(1)
	}
}

func check(folder string) error {
	vkey, err := os.ReadFile(filepath.Join(folder, "checkpoint.vkey"))
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(vkey)))
	if err != nil {
		return err
	}
	newest, err := open(filepath.Join(folder, "checkpoint"), verifier)
	if err != nil {
		return err
	}
	entries, err := checkEntries(folder, newest)
	if err != nil {
		return err
	}
	older, err := checkOlder(folder, newest, verifier)
	if err != nil {
		return err
	}
	fmt.Printf("%d entries, %d older checkpoints, %d leaves\n", entries, older, newest.N)
	return nil
}

// open reads a checkpoint that the key signed under the name of its origin.
func open(path string, verifier note.Verifier) (tlog.Tree, error) {
	signed, err := os.ReadFile(path)
	if err != nil {
		return tlog.Tree{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() || lines[3] != "" {
		return tlog.Tree{}, errors.New("not a checkpoint of that origin")
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// checkEntries checks the path of each entry, and that the tiles give the same one.
func checkEntries(folder string, tree tlog.Tree) (int, error) {
	manifest, err := os.Open(filepath.Join(folder, "manifest.ndjson"))
	if err != nil {
		return 0, err
	}
	defer manifest.Close()
	reader := tlog.TileHashReader(tree, tiles{folder})
	entries := 0
	scanner := bufio.NewScanner(manifest)
	scanner.Buffer(nil, 1<<24)
	for scanner.Scan() {
		var one line
		var told struct{ Seq int64 }
		if err := json.Unmarshal(scanner.Bytes(), &one); err != nil {
			return 0, err
		}
		if err := json.Unmarshal(one.Entry, &told); err != nil {
			return 0, err
		}
		var path tlog.RecordProof
		for _, text := range one.Proof {
			hash, err := tlog.ParseHash(text)
			if err != nil {
				return 0, err
			}
			path = append(path, hash)
		}
		leaf := tlog.RecordHash(one.Entry)
		if err := tlog.CheckRecord(path, tree.N, tree.Hash, told.Seq-1, leaf); err != nil {
			return 0, fmt.Errorf("entry %d: %w", told.Seq, err)
		}
		made, err := tlog.ProveRecord(tree.N, told.Seq-1, reader)
		if err != nil {
			return 0, fmt.Errorf("entry %d by the tiles: %w", told.Seq, err)
		}
		if fmt.Sprint(made) != fmt.Sprint(path) {
			return 0, fmt.Errorf("entry %d: another path by the tiles", told.Seq)
		}
		entries++
	}
	return entries, scanner.Err()
}

// checkOlder checks that the newest tree goes on from each older one: by a proof made here from the tiles, and
// by the one that is given beside the checkpoint.
func checkOlder(folder string, newest tlog.Tree, verifier note.Verifier) (int, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "before", "*.checkpoint"))
	if err != nil {
		return 0, err
	}
	reader := tlog.TileHashReader(newest, tiles{folder})
	for _, path := range paths {
		older, err := open(path, verifier)
		if err != nil {
			return 0, err
		}
		made, err := tlog.ProveTree(newest.N, older.N, reader)
		if err != nil {
			return 0, err
		}
		given, err := os.ReadFile(strings.TrimSuffix(path, "checkpoint") + "proof")
		if err != nil {
			return 0, err
		}
		var proof tlog.TreeProof
		for _, text := range strings.Fields(string(given)) {
			hash, err := tlog.ParseHash(text)
			if err != nil {
				return 0, err
			}
			proof = append(proof, hash)
		}
		for _, one := range []tlog.TreeProof{made, proof} {
			if err := tlog.CheckTree(one, newest.N, newest.Hash, older.N, older.Hash); err != nil {
				return 0, fmt.Errorf("the tree of %d entries: %w", older.N, err)
			}
		}
	}
	return len(paths), nil
}

// tiles reads the tiles that the database keeps, of which the last of a level is partial.
type tiles struct{ folder string }

func (tiles) Height() int { return 8 }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var found [][]byte
	for _, tile := range wanted {
		name := filepath.Join(t.folder, "tiles", strconv.Itoa(tile.L), strconv.FormatInt(tile.N, 10))
		hashes, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if len(hashes) < tile.W*tlog.HashSize {
			return nil, errors.New("a tile that is too short: " + name)
		}
		found = append(found, hashes[:tile.W*tlog.HashSize])
	}
	return found, nil
}

func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}
