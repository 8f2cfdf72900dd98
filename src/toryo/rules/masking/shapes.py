"""Secrets that are known by how they look: keys and tokens with a beginning of their own."""

from toryo.rules.masking.rule import AFTER_A_SIGN, START, Rule

_WORD = r"[A-Za-z0-9_-]"


def _token(kind: str, *prefixes: str, least: int, of: str = _WORD) -> Rule:
    """What begins with one of the prefixes and goes on for so long."""
    escaped = "|".join(prefix.replace(".", r"\.") for prefix in prefixes)
    return Rule(kind, prefixes, rf"{START}(?:{escaped}){of}{{{least},}}[A-Za-z0-9]*")


# Words with dashes may begin with sk- as well: a key without a telling second part has digits and capitals.
_OPENAI = (
    rf"{START}sk-(?!ant-|or-)(?:(?:proj|svcacct|admin|service|None)-{_WORD}{{20,}}|[A-Za-z0-9]{{20,}}{_WORD}*"
    rf"|(?={_WORD}{{0,80}}[0-9])(?={_WORD}{{0,80}}[A-Z]){_WORD}{{20,}})"
)

FIRST = (
    Rule("OPENAI_KEY", ("sk-",), _OPENAI),
    _token("ANTHROPIC_KEY", "sk-ant-", least=20),
    _token("OPENROUTER_KEY", "sk-or-", least=20),
    _token("GOOGLE_KEY", "AIza", least=35),
    _token("GOOGLE_TOKEN", "ya29.", least=20, of="[A-Za-z0-9._-]"),
    _token("GOOGLE_SECRET", "GOCSPX-", least=20),
    Rule("AWS_KEY", ("AKIA", "ASIA"), rf"{START}(?:AKIA|ASIA)[A-Z0-9]{{16}}(?![A-Za-z0-9])"),
    Rule(
        "AWS_SECRET",
        ("secret_access_key", "secretaccesskey", "aws_secret"),
        r"(?i:secret_?access_?key|aws_secret(?:_key)?)(?:\\?[\"'])?\s{0,20}[:=]\s{0,20}(?:\\?[\"'])?"
        r"(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])(?:\\?[\"'])?",
        folds=True,
    ),
    _token("GITHUB_TOKEN", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", least=36, of="[A-Za-z0-9]"),
    _token("GITHUB_TOKEN", "github_pat_", least=50),
    _token(
        "GITLAB_TOKEN",
        *("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-", "gloas-"),
        least=20,
        of="[A-Za-z0-9_.-]",
    ),
    Rule("SLACK_TOKEN", ("xox",), rf"{START}xox[abceoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{{10,}}"),
    _token("SLACK_TOKEN", "xapp-", least=20),
    Rule(
        "WEBHOOK",
        ("hooks.slack.com/", "/api/webhooks/", "webhook.office.com/"),
        r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"
        r"|(?:\w{1,20}\.)?discord(?:app)?\.com/api/webhooks/[0-9]{5,30}/[A-Za-z0-9_-]{30,}"
        r"|\w{1,60}\.webhook\.office\.com/webhookb2/[^\s\"'<>]{30,})",
    ),
    _token("NPM_TOKEN", "npm_", least=36, of="[A-Za-z0-9]"),
    _token("PYPI_TOKEN", "pypi-", least=50),
    _token("HUGGING_FACE_TOKEN", "hf_", least=30, of="[A-Za-z0-9]"),
    Rule(
        "STRIPE_KEY",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_"),
        rf"{START}[rs]k_(?:live|test)_[A-Za-z0-9]{{16,}}",
    ),
    _token("STRIPE_SECRET", "whsec_", least=20, of="[A-Za-z0-9+/=]"),
    Rule(
        "TWILIO_KEY",
        ("twilio",),
        rf"(?i:twilio)[^\n]{{0,60}}?{START}(?P<v>(?:SK)?[0-9a-f]{{32}})(?![A-Za-z0-9])",
        folds=True,
    ),
    Rule("SENDGRID_KEY", ("SG.",), rf"{START}SG\.[A-Za-z0-9_-]{{16,32}}\.[A-Za-z0-9_-]{{16,}}"),
    Rule(
        "AZURE_KEY",
        ("accountkey=", "sharedaccesskey=", "sharedaccesssignature="),
        r"(?i:AccountKey|SharedAccessKey|SharedAccessSignature)=[A-Za-z0-9+/=%&]{16,}",
        folds=True,
    ),
    _token("DIGITALOCEAN_TOKEN", "dop_v1_", "doo_v1_", "dor_v1_", least=40, of="[a-f0-9]"),
    _token("DATABRICKS_TOKEN", "dapi", least=32, of="[a-f0-9-]"),
    _token("GROQ_KEY", "gsk_", least=20, of="[A-Za-z0-9]"),
    _token("XAI_KEY", "xai-", least=30, of="[A-Za-z0-9]"),
    _token("PERPLEXITY_KEY", "pplx-", least=30, of="[A-Za-z0-9]"),
    Rule(
        "TELEGRAM_TOKEN", (":AA",), rf"(?:(?<![A-Za-z0-9:])|{AFTER_A_SIGN})(?:bot)?[0-9]{{8,10}}:AA[A-Za-z0-9_-]{{32,}}"
    ),
    Rule(
        "DISCORD_TOKEN",
        ("discord",),
        rf"(?i:discord)[^\n]{{0,60}}?(?:(?<![A-Za-z0-9_.-])|{AFTER_A_SIGN})"
        r"(?P<v>[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,})",
        folds=True,
    ),
    _token("AGE_KEY", "AGE-SECRET-KEY-1", least=40, of="[A-Za-z0-9]"),
    _token("VAULT_TOKEN", "hvs.", "hvb.", "hvr.", least=20),
    _token("DOCKER_TOKEN", "dckr_pat_", "dckr_oat_", least=20),
    _token("SHOPIFY_TOKEN", "shpat_", "shpca_", "shppa_", "shpss_", least=30, of="[A-Fa-f0-9]"),
    _token("LINEAR_KEY", "lin_api_", "lin_oauth_", least=30, of="[A-Za-z0-9]"),
    _token("NOTION_TOKEN", "ntn_", least=30, of="[A-Za-z0-9]"),
    _token("FIGMA_TOKEN", "figd_", least=30),
    _token("ATLASSIAN_TOKEN", "ATATT3", "ATCTT3", least=40, of="[A-Za-z0-9_=-]"),
    _token("SENTRY_TOKEN", "sntrys_", "sntryu_", least=40, of="[A-Za-z0-9_=+/-]"),
    _token("GRAFANA_TOKEN", "glsa_", "glc_", least=30, of="[A-Za-z0-9_=+/]"),
    _token("REPLICATE_TOKEN", "r8_", least=30, of="[A-Za-z0-9]"),
    _token("SUPABASE_TOKEN", "sbp_", "sb_secret_", least=20),
)
"""The most dangerous first; of the source's table, those of priority 1."""

JWT = Rule("JWT", ("eyJ",), rf"(?:(?<!{_WORD})|{AFTER_A_SIGN})eyJ{_WORD}{{1,4000}}\.eyJ{_WORD}+(?:\.{_WORD}*)?")
