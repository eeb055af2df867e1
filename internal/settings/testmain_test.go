package settings

import (
	"os"
	"testing"

	"tilth/internal/tools/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.RunServerTests(m)) }
