module github.com/fastkdf/pbkdf2/cmd/pbkdf2

go 1.26.0

require (
	github.com/cheggaaa/pb/v3 v3.3.0
	github.com/fastkdf/pbkdf2 v0.0.0
	github.com/klauspost/cpuid/v2 v2.4.2
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)

require (
	github.com/VividCortex/ewma v1.2.0 // indirect
	github.com/clipperhouse/uax29/v2 v2.2.0 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/mattn/go-colorable v0.1.16 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mattn/go-runewidth v0.0.31 // indirect
)

replace github.com/fastkdf/pbkdf2 => ../..
