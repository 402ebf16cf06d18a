// The registry of the local cluster: distribution, with what it needs there and nothing else.
//
// Upstream's own command links the storage of every cloud, which takes minutes to build.
//
//	registry serve CONFIG
//	registry htpasswd USER < PASSWORD   prints the line for the file of passwords
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/distribution/distribution/v3/registry"
	_ "github.com/distribution/distribution/v3/registry/auth/htpasswd"
	_ "github.com/distribution/distribution/v3/registry/storage/driver/filesystem"
	"golang.org/x/crypto/bcrypt"
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "htpasswd" {
		if err := htpasswd(os.Args[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if registry.RootCmd.Execute() != nil {
		os.Exit(1)
	}
}

func htpasswd(user string) error {
	password, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	// The password has 128 random bits, which no slow hash makes safer; and every request would wait for that.
	hash, err := bcrypt.GenerateFromPassword(password, bcrypt.MinCost)
	if err == nil {
		fmt.Printf("%s:%s\n", user, hash)
	}
	return err
}
