"""Secrets that are none, put together here so that nothing takes this file for a leak; kind by kind."""

HEX = "0123456789abcdef" * 8
MIXED = "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA" * 4
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" * 4
LINE = (MIXED * 2)[:64]
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxIn0" + ".c2lnbmF0dXJl"


def _s(*pieces: str) -> str:
    return "".join(pieces)


def key_block(
    label: str = "RSA PRIVATE", body: str = f"{LINE}\n{LINE}\nabc=", end: bool = True, line: str = "\n"
) -> str:
    begin, close = f"-----BEGIN {label} " + "KEY-----", f"-----END {label} " + "KEY-----"
    return line.join([begin, *body.split("\n"), *([close] if end else [])])


PGP = key_block("PGP PRIVATE", f"Version: GnuPG v2\n\n{LINE}\n=ab12").replace("KEY-----", "KEY BLOCK-----")

SOURCE: list[tuple[str, str]] = [
    (_s("sk-", MIXED[:20]), "OPENAI_KEY"),
    (_s("sk-", "ant-", MIXED[:20]), "ANTHROPIC_KEY"),
    (_s("sk-", "ant-api03-", MIXED[:20], "-", MIXED[:5]), "ANTHROPIC_KEY"),
    (key_block(body="MIIEow\nIBAAK"), "PRIVATE_KEY"),
    (JWT, "JWT"),
    ("authorization: bearer abc", "AUTH_HEADER"),
    ("Authorization: Bearer abc", "AUTH_HEADER"),
    ("cookie: sid=1", "COOKIE"),
    ("Cookie: sid=1", "COOKIE"),
    ("set-cookie: sid=1", "SET_COOKIE"),
    ("Set-Cookie: sid=1", "SET_COOKIE"),
    ('"password": "hunter2"', "JSON_CREDENTIAL"),
    ('"secret":"x"', "JSON_CREDENTIAL"),
    ('"token": "x"', "JSON_CREDENTIAL"),
    ('"api_key": "x"', "JSON_CREDENTIAL"),
    ('"apiKey": "x"', "JSON_CREDENTIAL"),
    ("PASSWORD=x", "ENV_CREDENTIAL"),
    ("SECRET=x", "ENV_CREDENTIAL"),
    ("TOKEN=x", "ENV_CREDENTIAL"),
    ("API_KEY=x", "ENV_CREDENTIAL"),
    ("Bearer " + MIXED[:20], "BEARER_TOKEN"),
    ("password: " + MIXED[:16], "GENERIC_SECRET"),
    ("secret = '" + MIXED[:16] + "'", "GENERIC_SECRET"),
    ('token="' + MIXED[:16] + '"', "GENERIC_SECRET"),
    ("key: " + HEX[:32], "GENERIC_SECRET"),
]
"""The table of the source, row by row."""

SHAPES: list[tuple[str, str]] = [
    (_s("sk-", "proj-", "a" * 40), "OPENAI_KEY"),
    (_s("sk-", "proj-", MIXED[:20], "-", MIXED[:20], "_", MIXED[:9]), "OPENAI_KEY"),
    (_s("sk-", "svcacct-", MIXED[:40]), "OPENAI_KEY"),
    (_s("sk-", "or-v1-", HEX[:64]), "OPENROUTER_KEY"),
    (_s("AI", "za", MIXED[:35]), "GOOGLE_KEY"),
    (_s("ya", "29.", MIXED[:40]), "GOOGLE_TOKEN"),
    (_s("GOC", "SPX-", MIXED[:28]), "GOOGLE_SECRET"),
    (_s("AK", "IA", UPPER[:16]), "AWS_KEY"),
    (_s("AS", "IA", UPPER[:16]), "AWS_KEY"),
    *((_s("gh", letter, "_", MIXED[:36]), "GITHUB_TOKEN") for letter in "pousr"),
    (_s("github", "_pat_", MIXED[:22], "_", MIXED[:59]), "GITHUB_TOKEN"),
    *(
        (_s("gl", letters, "-", MIXED[:20]), "GITLAB_TOKEN")
        for letters in ("pat", "dt", "rt", "cbt", "ptt", "ft", "soat")
    ),
    (_s("xox", "b-", "123456789012-", MIXED[:24]), "SLACK_TOKEN"),
    (_s("xox", "p-", "123456789012-", MIXED[:24]), "SLACK_TOKEN"),
    (_s("xapp", "-1-", MIXED[:30]), "SLACK_TOKEN"),
    (_s("https://hooks.", "slack.com/services/", "T00000000/B00000000/", MIXED[:24]), "WEBHOOK"),
    (_s("https://discord.com", "/api/webhooks/", "123456789012345678/", MIXED[:60]), "WEBHOOK"),
    (_s("np", "m_", MIXED[:36]), "NPM_TOKEN"),
    (_s("py", "pi-", MIXED[:60]), "PYPI_TOKEN"),
    (_s("h", "f_", MIXED[:34]), "HUGGING_FACE_TOKEN"),
    (_s("sk", "_live_", MIXED[:24]), "STRIPE_KEY"),
    (_s("rk", "_live_", MIXED[:24]), "STRIPE_KEY"),
    (_s("wh", "sec_", MIXED[:32]), "STRIPE_SECRET"),
    (_s("S", "G.", MIXED[:22], ".", MIXED[:43]), "SENDGRID_KEY"),
    (_s("Account", "Key=", MIXED[:86], "=="), "AZURE_KEY"),
    (_s("dop", "_v1_", HEX[:64]), "DIGITALOCEAN_TOKEN"),
    (_s("da", "pi", HEX[:32]), "DATABRICKS_TOKEN"),
    (_s("gs", "k_", MIXED[:52]), "GROQ_KEY"),
    (_s("xa", "i-", MIXED[:80]), "XAI_KEY"),
    (_s("ppl", "x-", MIXED[:48]), "PERPLEXITY_KEY"),
    (_s("123456789", ":AA", MIXED[:33]), "TELEGRAM_TOKEN"),
    (_s("AGE-SECRET", "-KEY-1", UPPER[:58]), "AGE_KEY"),
    (_s("hv", "s.", MIXED[:24]), "VAULT_TOKEN"),
    (_s("dckr", "_pat_", MIXED[:27]), "DOCKER_TOKEN"),
    (_s("shp", "at_", HEX[:32]), "SHOPIFY_TOKEN"),
    (_s("lin", "_api_", MIXED[:40]), "LINEAR_KEY"),
    (_s("nt", "n_", MIXED[:46]), "NOTION_TOKEN"),
    (_s("fi", "gd_", MIXED[:40]), "FIGMA_TOKEN"),
    (_s("ATA", "TT3", MIXED[:60]), "ATLASSIAN_TOKEN"),
    (_s("r", "8_", MIXED[:37]), "REPLICATE_TOKEN"),
]
"""What is known by how it looks."""

KEYS: list[tuple[str, str]] = [
    *(
        (key_block(label), "PRIVATE_KEY")
        for label in ("RSA PRIVATE", "EC PRIVATE", "DSA PRIVATE", "OPENSSH PRIVATE", "PRIVATE")
    ),
    (key_block("ENCRYPTED PRIVATE"), "PRIVATE_KEY"),
    (key_block(body=f"Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n{LINE}\nab=="), "PRIVATE_KEY"),
    (PGP, "PRIVATE_KEY"),
    (key_block(line="\\n"), "PRIVATE_KEY"),
    (key_block(line="\r\n"), "PRIVATE_KEY"),
    (key_block(body=f"any thing: at all!\n{LINE}"), "PRIVATE_KEY"),
]

NAMED: list[tuple[str, str, str]] = [
    ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "AUTH_HEADER"),
    ("Authorization: token " + MIXED[:20], MIXED[:20], "AUTH_HEADER"),
    ("authorization: ApiKey " + MIXED[:20], MIXED[:20], "AUTH_HEADER"),
    ('Authorization: Digest username="me", realm="r", response="0a1b2c3d"', "0a1b2c3d", "AUTH_HEADER"),
    ("Proxy-Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz", "AUTH_HEADER"),
    ("Authorization: " + MIXED[:24], MIXED[:24], "AUTH_HEADER"),
    (f'curl -H "Authorization: Bearer {MIXED[:12]}" https://example.com', MIXED[:12], "AUTH_HEADER"),
    (f"curl -H 'authorization: token {MIXED[:12]}' https://example.com", MIXED[:12], "AUTH_HEADER"),
    ("X-Api-Key: " + MIXED[:16], MIXED[:16], "AUTH_HEADER"),
    ("x-goog-api-key: " + MIXED[:16], MIXED[:16], "AUTH_HEADER"),
    ("PRIVATE-TOKEN: " + MIXED[:20], MIXED[:20], "AUTH_HEADER"),
    ("Cookie: a=1; sid=hidden123; b=2", "hidden123", "COOKIE"),
    ('Cookie: a="one"; sid="hidden123"', "hidden123", "COOKIE"),
    (f"Cookie: jwt={JWT}; sid=hidden123", "hidden123", "COOKIE"),
    ("Set-Cookie: a=1; Expires=Wed, 21 Oct 2037 07:28:00 GMT; sid=hidden123", "hidden123", "SET_COOKIE"),
    ("curl --header 'Cookie: a=1; sid=hidden123' https://example.com", "hidden123", "COOKIE"),
    ("https://me:hunter2@example.com/x.git", "hunter2", "URL_CREDENTIAL"),
    ("postgres://app:p%40ss/w0rd@db:5432/x".replace("/w0", "w0"), "p%40ssw0rd", "URL_CREDENTIAL"),
    ("redis://:hunter2@cache:6379/0", "hunter2", "URL_CREDENTIAL"),
    ("amqp://guest:p@ss@rabbit", "p@ss", "URL_CREDENTIAL"),
    (f"git clone https://{MIXED[:30]}@example.com/x", MIXED[:30], "URL_CREDENTIAL"),
    ("mysql --password hunter2 -e 'select 1'", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("mysql --password=hunter2", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("deploy --db-pass 'a b c' --now", "a b c", "ARGUMENT_CREDENTIAL"),
    ("tool login --token " + MIXED[:20], MIXED[:20], "ARGUMENT_CREDENTIAL"),
    ("curl -u me:hunter2 https://example.com", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("curl --user 'me:hunter2' https://example.com", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("sshpass -p hunter2 ssh host", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("machine example.com login me password hunter2", "hunter2", "ARGUMENT_CREDENTIAL"),
    ("machine example.com\n  login me\n  password hunter2\n", "hunter2", "ARGUMENT_CREDENTIAL"),
    ('{"access_token" : "hidden"}', "hidden", "JSON_CREDENTIAL"),
    ('{"refresh_token":"hidden"}', "hidden", "JSON_CREDENTIAL"),
    ("{'client_secret': 'hidden'}", "hidden", "JSON_CREDENTIAL"),
    ('{"db": {"passwd": "hidden"}, "pwd": "this too"}', "this too", "JSON_CREDENTIAL"),
    ('{\\"token\\": \\"hidden\\", \\"a\\": 1}', "hidden", "JSON_CREDENTIAL"),
    ('{\\\\\\"apiKey\\\\\\": \\\\\\"hidden\\\\\\"}', "hidden", "JSON_CREDENTIAL"),
    ('"password": "with \\"quotes\\" hidden"', "hidden", "JSON_CREDENTIAL"),
    ('"clientSecret": "hidden"', "hidden", "JSON_CREDENTIAL"),
    ('"aws_secret_access_key": "hidden"', "hidden", "JSON_CREDENTIAL"),
    ('export FOO_TOKEN="hidden words"', "hidden", "ENV_CREDENTIAL"),
    ("export DB_PASSWORD='hidden'", "hidden", "ENV_CREDENTIAL"),
    ("DB_PASS=hidden make", "hidden", "ENV_CREDENTIAL"),
    ("AWS_SECRET_ACCESS_KEY=" + "hidden", "hidden", "ENV_CREDENTIAL"),
    (f"aws_secret_access_key = {MIXED[:40]}", MIXED[:40], "AWS_SECRET"),
    (f"TWILIO_AUTH = '{HEX[:32]}'", HEX[:32], "TWILIO_KEY"),
    ("DISCORD: " + "M" + MIXED[:23] + "." + MIXED[:6] + "." + MIXED[:27], MIXED[:23], "DISCORD_TOKEN"),
    ("password: hunter2", "hunter2", "GENERIC_SECRET"),
    ("  db_password: 'S3cure!pass'", "S3cure!pass", "GENERIC_SECRET"),
    ('config["password"] = "hunter2"', "hunter2", "GENERIC_SECRET"),
    ("access_token=" + MIXED[:24] + "&x=1", MIXED[:24], "GENERIC_SECRET"),
    ("client_secret: " + MIXED[:24], MIXED[:24], "GENERIC_SECRET"),
    ("apiKey = '" + MIXED[:24] + "'", MIXED[:24], "GENERIC_SECRET"),
    ('"key": "' + HEX[:32] + '"', HEX[:32], "GENERIC_SECRET"),
    ("パスワード password: hunter2です", "hunter2", "GENERIC_SECRET"),
]
"""What is known by what stands before it: a text, what of it must not be seen, and as what it is masked."""
