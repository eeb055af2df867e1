package httpbase

import (
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

const formsContract = `
openapi: 3.0.3
info: {title: Forms, version: "1"}
paths:
  /forms:
    post:
      requestBody:
        content:
          application/json:
            schema:
              allOf:
                - type: object
                  required: [name]
                  properties:
                    name: {type: string}
                    until: {type: integer, nullable: true}
                    mail: {type: object, properties: {to: {type: string}}}
                - type: object
                  properties:
                    parts:
                      type: array
                      items: {type: object, properties: {size: {type: number}, limit: {type: number, nullable: true}}}
      responses: {"200": {description: done}}
`

// A null member counts as absent if the contract allows no null for it. If nothing is removed, the
// text stays exactly as it was.
func TestDropNulls(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData([]byte(formsContract))
	if err != nil {
		t.Fatal(err)
	}
	mend := DropNulls(doc.Paths.Value("/forms").Post)
	for given, want := range map[string]string{
		``: ``, `null`: `null`, `[null]`: `[null]`, `7`: `7`, `"null"`: `"null"`,
		`{"name": "null"}`:               `{"name": "null"}`,
		`{ "until": null }`:              `{ "until": null }`,
		`{"name":null}`:                  `{}`,
		" {\"name\" :\tnull , \"x\":1} ": `{"x":1}`,
		`{"other":null,"name":null}`:     `{"other":null}`, // not in the contract
		`{"until":null,"name":null}`:     `{"until":null}`,
		`{"name":"x","name":null}`:       `{}`, // the last one counts
		`{"name":null,"name":"x"}`:       `{"name":null,"name":"x"}`,
		`{"mail":null,"parts":null}`:     `{}`,
		`{"mail":{"to":null}}`:           `{"mail":{}}`,
		`{"mail":{"to":[null]}}`:         `{"mail":{"to":[null]}}`,
		`{"parts":[{"size":null,"limit":null},null,7,{"size":1e400}]}`: `{"parts":[{"limit":null},null,7,{"size":1e400}]}`,
		`{"name":null,"until":99999999999999999999}`:                   `{"until":99999999999999999999}`,
	} {
		if got := string(mend([]byte(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	none := DropNulls(&openapi3.Operation{RequestBody: &openapi3.RequestBodyRef{Value: openapi3.NewRequestBody()}})
	if got := string(none([]byte(`{"name":null}`))); got != `{"name":null}` {
		t.Error(got)
	}
}
