module github.com/xdg-go/pbkdf2

go 1.26.0

require github.com/fastkdf/pbkdf2 v0.0.0

require (
	github.com/klauspost/cpuid/v2 v2.4.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/fastkdf/pbkdf2 => ../..
