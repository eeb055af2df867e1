package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tilth/internal/command/client"
	"tilth/internal/edge/provider"
	"tilth/internal/edge/provider/wire"
)

// providerCommands are the commands for the provider. They call the provider API of a running
// server.
func providerCommands() []*cobra.Command {
	return []*cobra.Command{
		applyCommand(),
		deleteCommand(),
		group("user", "Work on users", userResetCommand()),
		deriveCommand(),
	}
}

func applyCommand() *cobra.Command {
	var file string
	var overwrite bool
	var at client.Flags
	c := &cobra.Command{
		Use:   "apply -f FILE",
		Short: "Bring the server to the state that a file describes: elements, products, tenants, users, scenes, devices",
		Long: `Bring the server to the state that a file describes, all or nothing. Applying the
same file again changes nothing.

The file owns structure. Password, nickname, email, mobile, noteName, scene and
position are set when a user or device is created, later only with --overwrite.
Serial and secrets of a device whose box was swapped in the console stay those of
the new box if the file still has the old one's, unless --overwrite is given.
What the file leaves out stays as it is: an item, or a key of an item. A list
replaces the whole list (properties, hosts, secrets); in diy and elementData only
the given keys are set, and an empty text clears one. To remove things, use tilth
delete.

This command prints the secrets and passwords that the server makes, once.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return apply(c, &at, file, overwrite) },
	}
	c.Flags().StringVarP(&file, "file", "f", "", "the file to apply, - for standard input (required)")
	c.Flags().BoolVar(&overwrite, "overwrite", false, "also set what is otherwise set only at creation")
	at.Add(c)
	if err := c.MarkFlagRequired("file"); err != nil {
		panic(err) // the flag is declared above
	}
	return c
}

func apply(c *cobra.Command, at *client.Flags, file string, overwrite bool) error {
	raw, err := readFile(c, file)
	if err != nil {
		return err
	}
	remote, err := at.Client(c)
	if err != nil {
		return err
	}
	path := "v1/apply"
	if overwrite {
		path += "?" + url.Values{"overwrite": {"true"}}.Encode()
	}
	status, body, err := remote.Post(c.Context(), path, "application/yaml", raw)
	if err != nil {
		return err
	}
	var wrong wire.ApplyProblem
	if status == http.StatusUnprocessableEntity && json.Unmarshal(body, &wrong) == nil && len(wrong.Errors) > 0 {
		for _, e := range wrong.Errors {
			where := file
			if e.Line > 0 {
				where = fmt.Sprintf("%s:%d", file, e.Line)
			}
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", where, e.Message)
		}
		return errSilent
	}
	var out wire.ApplyResult
	if err := client.Decode(status, body, &out); err != nil {
		return err
	}
	printResult(c.OutOrStdout(), &out)
	if out.Warning != nil {
		return errors.New(*out.Warning)
	}
	return nil
}

// readFile reads the file to apply, or standard input if its name is -.
func readFile(c *cobra.Command, file string) ([]byte, error) {
	var from io.Reader = c.InOrStdin()
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer func() { _ = f.Close() }() // only read
		from = f
	}
	raw, err := io.ReadAll(io.LimitReader(from, provider.MaxFile+1))
	if err == nil && len(raw) > provider.MaxFile {
		err = fmt.Errorf("%s: larger than %d MiB: split it", file, provider.MaxFile>>20)
	}
	return raw, err
}

// printResult prints a line for each change, and a summary.
func printResult(w io.Writer, r *wire.ApplyResult) {
	for _, group := range []struct {
		verb  string
		items []wire.ApplyItem
	}{{"created", r.Created}, {"changed", r.Changed}, {"removed", r.Removed}} {
		for _, it := range group.items {
			fmt.Fprintf(w, "%s %s %s%s\n", group.verb, it.Kind, qualifiedName(it), itemDetails(it))
		}
	}
	if r.Kept != nil {
		for _, it := range *r.Kept {
			fmt.Fprintf(
				w,
				"kept %s %s%s (the file has those of the box that was swapped out; --overwrite applies them)\n",
				it.Kind,
				qualifiedName(it),
				itemDetails(it),
			)
		}
	}
	if len(r.Removed) == 0 {
		fmt.Fprintf(w, "created %d, changed %d, left %d\n", len(r.Created), len(r.Changed), r.Left)
	}
}

func qualifiedName(it wire.ApplyItem) string {
	if it.Tenant != nil {
		return *it.Tenant + "/" + it.Name
	}
	return it.Name
}

func itemDetails(it wire.ApplyItem) string {
	var b strings.Builder
	if it.Changes != nil {
		b.WriteString(": " + strings.Join(*it.Changes, ", "))
	}
	if it.Secret != nil {
		what := "secret"
		switch it.Kind {
		case wire.ApplyItemKindUser:
			what = "password"
		case wire.ApplyItemKindShelf:
			what = "claim code"
		}
		b.WriteString("  " + what + ": " + *it.Secret)
	}
	return b.String()
}

func deleteCommand() *cobra.Command {
	c := group("delete", "Remove a device, a user, a scene, an empty tenant or a device on the shelf")
	for _, k := range []struct {
		kind  wire.DeleteRequestKind
		short string
	}{
		{wire.DeleteRequestKindDevice, "Remove a device and erase its readings"},
		{wire.DeleteRequestKindUser, "Remove a user and end the user's sessions"},
		{wire.DeleteRequestKindScene, "Remove a scene; its devices move to the default group"},
		{wire.DeleteRequestKindTenant, "Remove a tenant that has no devices, users and scenes left"},
		{wire.DeleteRequestKindShelf, "Take a device off the shelf, so that nobody can claim it; a claimed one stays its owner's"},
	} {
		c.AddCommand(deleteKind(k.kind, k.short))
	}
	return c
}

func deleteKind(kind wire.DeleteRequestKind, short string) *cobra.Command {
	var owner string
	var at client.Flags
	c := &cobra.Command{Use: string(kind) + " NAME", Short: short, Args: cobra.ExactArgs(1)}
	if kind != wire.DeleteRequestKindTenant && kind != wire.DeleteRequestKindShelf {
		c.Use += " --tenant TENANT"
		c.Flags().StringVar(&owner, "tenant", "", "name of its tenant (required)")
		if err := c.MarkFlagRequired("tenant"); err != nil {
			panic(err) // the flag is declared above
		}
	}
	at.Add(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		ask := wire.DeleteRequest{Kind: kind, Name: args[0]}
		if owner != "" {
			ask.Tenant = &owner
		}
		var out wire.ApplyResult
		if err := at.Call(c, "v1/delete", ask, &out); err != nil {
			return err
		}
		printResult(c.OutOrStdout(), &out)
		return nil
	}
	return c
}

func userResetCommand() *cobra.Command {
	var owner string
	var at client.Flags
	c := &cobra.Command{
		Use:   "reset NAME --tenant TENANT",
		Short: "Give a user a new password, print it once, turn off the second factor, and end the user's sessions",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var out wire.ResetUserResult
			ask := wire.ResetUserRequest{Tenant: owner, UserName: args[0]}
			if err := at.Call(c, "v1/user/reset", ask, &out); err != nil {
				return err
			}
			_, err := fmt.Fprintln(c.OutOrStdout(), out.Password)
			return err
		},
	}
	c.Flags().StringVar(&owner, "tenant", "", "name of the user's tenant (required)")
	if err := c.MarkFlagRequired("tenant"); err != nil {
		panic(err) // the flag is declared above
	}
	at.Add(c)
	return c
}
