package web

import (
	"html"
	"strings"
)

// consent is the template of Consent.
const consent = head + `<meta name="color-scheme" content="light dark">
</head>
<body><main><h1>rlm</h1><p>QUESTION</p>
<form method="post" action="ACTION"><input type="hidden" name="token" value="TOKEN"><input type="hidden" name="to" value="TO">
<button type="submit">Continue as WHO</button></form><p>If you did not want this, close this page: nothing has changed.</p></main></body>
</html>
`

// Consent returns a page that asks before a link logs a browser in as who. was is the name of the user logged in so
// far; "" if there is none. The page's form is sent to action.
func Consent(was, who, action, token, to string) []byte {
	question := "A link on another site led here. It logs this browser in as " + who +
		": everything that you ask and upload will then be visible to " + who + "."
	if was != "" {
		question = "You are logged in as " + was + ". This link logs this browser in as " + who +
			": everything that you ask and upload will then be visible to " + who + "."
	}
	e := html.EscapeString
	return []byte(strings.NewReplacer("QUESTION", e(question), "ACTION", e(action), "TOKEN", e(token), `"TO"`,
		`"`+e(to)+`"`, "WHO", e(who)).Replace(consent))
}
