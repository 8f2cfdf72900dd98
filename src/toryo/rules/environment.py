"""Which of a person's environment variables reach agents, checks and set-up commands.

Agents get what is listed here and what the configuration names; so a secret stays out unless somebody let it in.
"""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

from toryo.rules.masking import has_secret


def _names(groups: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(" ".join(groups.values()).split())


_NESTING = _names(
    {
        "Claude Code, for what it runs": """
            CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_EXECPATH CLAUDE_CODE_SESSION_ID CLAUDE_CODE_SESSION_KIND
            CLAUDE_CODE_SESSION_ATTENDED CLAUDE_CODE_CHILD_SESSION CLAUDE_CODE_TASK_LIST_ID CLAUDE_PID CLAUDE_EFFORT
            CLAUDE_PROJECT_DIR CLAUDE_ENV_FILE CLAUDE_PLUGIN_ROOT CLAUDE_PLUGIN_DATA CLAUDE_SKILL_DIR CLAUDE_JOB_DIR
            CLAUDE_BG_* CLAUDE_AGENT_SDK_VERSION""",
        "Claude Code's connections, which only the caller can use": """
            CLAUDE_CODE_SSE_PORT CLAUDE_CODE_MESSAGING_SOCKET CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_*_FILE_DESCRIPTOR
            CLAUDE_CODE_TMUX_SESSION CLAUDE_CODE_TMUX_PREFIX*""",
        "Codex": """
            CODEX_SANDBOX* CODEX_THREAD_ID CODEX_SESSION_ID CODEX_TOOL_CALL_ID CODEX_CI CODEX_PERMISSION_PROFILE
            CODEX_VERSION CODEX_MANAGED_* CODEX_INTERNAL_ORIGINATOR_OVERRIDE CODEX_NETWORK_PROXY_* CODEX_SNAPSHOT_*
            CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS""",
        "Gemini CLI": """
            GEMINI_CLI GEMINI_CLI_IDE_* GEMINI_CLI_WORKTREE_HANDLED GEMINI_SESSION_ID GEMINI_PROJECT_DIR
            GEMINI_PLANS_DIR GEMINI_CWD""",
        "OpenCode": """
            AGENT OPENCODE OPENCODE_PID OPENCODE_CALLER OPENCODE_CLIENT OPENCODE_TERMINAL OPENCODE_ROUTE
            OPENCODE_WORKSPACE_ID OPENCODE_EDITOR_SSE_PORT""",
        "several agents, to say that one is at work": """
            AI_AGENT CLINE_ACTIVE COPILOT_CLI CURSOR_AGENT CURSOR_TRACE_ID GOOSE_TERMINAL QWEN_CODE""",
        "tmux, about the caller's window": "TMUX TMUX_PANE",
        "Toryo, for a run; its settings are TORYO_RUN_… and the like": """
            TORYO_SESSION TORYO_TASK TORYO_RUN TORYO_ATTEMPT TORYO_MAIN TORYO_PROMPT TORYO_SIGNALS TORYO_RECORD
            TORYO_INTENT TORYO_INTENT_TYPE TORYO_BIN""",
    }
)
"""Variables that say who called Toryo, by who sets them: an agent that finds them takes itself for a part of that."""

_NEEDED = _names(
    {
        "to work at all": """
            PATH HOME USER LOGNAME SHELL TMPDIR TEMP TMP XDG_* LD_LIBRARY_PATH DYLD_* WSL_DISTRO_NAME WSL_INTEROP""",
        "language, time, terminal": """
            LANG LANGUAGE LC_* TZ __CF_USER_TEXT_ENCODING TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE
            EDITOR VISUAL PAGER CI""",
        "to open a browser, and to find a login in the keyring": """
            DISPLAY WAYLAND_DISPLAY XAUTHORITY BROWSER DBUS_SESSION_BUS_ADDRESS""",
        # With its credentials, should there be any: without the proxy no agent reaches its model.
        "to reach the network": """
            HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy ftp_proxy all_proxy no_proxy
            NODE_USE_ENV_PROXY""",
        "to trust it": """
            SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA NODE_TLS_REJECT_UNAUTHORIZED
            REQUESTS_CA_BUNDLE CURL_CA_BUNDLE AWS_CA_BUNDLE PIP_CERT BUNDLE_SSL_CA_CERT CARGO_HTTP_CAINFO""",
        # All of GIT_CONFIG_*: the variables count each other, and git fails if one is missing.
        "git: who commits, and how": """
            GIT_AUTHOR_* GIT_COMMITTER_* GIT_CONFIG GIT_CONFIG_* GIT_SSL_* GIT_HTTP_* GIT_EDITOR GIT_SEQUENCE_EDITOR
            GIT_PAGER GIT_MERGE_AUTOEDIT GIT_OPTIONAL_LOCKS GIT_TERMINAL_PROMPT GIT_LFS_SKIP_SMUDGE
            GIT_ALLOW_PROTOCOL GIT_PROTOCOL_FROM_USER GIT_DISCOVERY_ACROSS_FILESYSTEM""",
        # To fetch private dependencies. It lends the use of the keys, never the keys themselves; and who may end the
        # key agent (SSH_AGENT_PID) or ask a person for a password (*_ASKPASS) is no coding agent.
        "ssh": "SSH_AUTH_SOCK GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT",
    }
)
"""What every agent gets, by why."""

_TOOLS = _names(
    {
        "Python": "VIRTUAL_ENV PYTHON* PYENV_* CONDA_* MAMBA_* UV_* PIP_* PIPX_* POETRY_*",
        "JavaScript": """
            NODE_ENV NODE_OPTIONS NODE_PATH NVM_* VOLTA_HOME FNM_* NPM_CONFIG_* npm_config_* PNPM_HOME YARN_* COREPACK_*
            BUN_INSTALL DENO_DIR DENO_INSTALL PLAYWRIGHT_BROWSERS_PATH PUPPETEER_*""",
        "Rust, Go": """
            CARGO_HOME CARGO_TARGET_DIR CARGO_BUILD_* CARGO_NET_* CARGO_INCREMENTAL RUSTUP_* RUSTFLAGS RUSTC_WRAPPER
            GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOENV GOFLAGS GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB
            GOTOOLCHAIN GOOS GOARCH GO111MODULE CGO_*""",
        "Java, Android, .NET": """
            JAVA_HOME JDK_HOME JAVA_TOOL_OPTIONS GRADLE_* M2 M2_HOME MAVEN_* ANT_HOME SDKMAN_* KOTLIN_HOME SCALA_HOME
            ANDROID_HOME ANDROID_SDK_ROOT ANDROID_NDK_HOME DOTNET_* NUGET_PACKAGES""",
        # Bundler's by name: it keeps a host's password in BUNDLE_<HOST>.
        "Ruby, PHP, Perl": """
            GEM_HOME GEM_PATH RBENV_* RUBYLIB RUBYOPT BUNDLE_PATH BUNDLE_GEMFILE BUNDLE_APP_CONFIG BUNDLE_BIN
            BUNDLE_USER_* BUNDLE_CACHE_PATH BUNDLE_WITH BUNDLE_WITHOUT BUNDLE_JOBS BUNDLE_FROZEN BUNDLE_DEPLOYMENT
            BUNDLE_BUILD__* COMPOSER_HOME COMPOSER_CACHE_DIR PERL5LIB PERL_*""",
        "C and C++": """
            CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH
            PKG_CONFIG_* CMAKE_* CCACHE_DIR SDKROOT MACOSX_DEPLOYMENT_TARGET DEVELOPER_DIR""",
        "managers of tools": "ASDF_* MISE_* NIX_* HOMEBREW_*",
    }
)
"""Where the person's tools are and how they are set up; left out where it looks like a credential."""

# Not compiled until there is a variable to look at: `re` keeps what it has compiled.
_CREDENTIAL_NAME = (
    r"(?i)auth|token|passw|passphrase|secret|credential|cookie|(?:api|access|private|signing)_?key|_key$|_otp$|_pat$"
)
_CREDENTIAL_VALUE = r"(?i)://[^/?#\s]*@|(?:token|passw|secret|api_?key)[^\s=:/]*\s*=\s*\S"


def allowed(environ: Mapping[str, str], passes: Iterable[str]) -> dict[str, str]:
    """What of the environment an agent gets: what is listed above, and what the patterns name."""
    patterns = tuple(passes)
    return {
        name: value
        for name, value in without_nesting(environ).items()
        if _is_one_of(name, patterns) or _is_listed(name, value)
    }


def without_nesting(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment as if nobody but a person had called Toryo."""
    return {name: value for name, value in environ.items() if not _is_one_of(name, _NESTING)}


def _is_listed(name: str, value: str) -> bool:
    return _is_one_of(name, _NEEDED) or (_is_one_of(name, _TOOLS) and not _is_credential(name, value))


def _is_credential(name: str, value: str) -> bool:
    return bool(re.search(_CREDENTIAL_NAME, name) or re.search(_CREDENTIAL_VALUE, value)) or has_secret(value)


def _is_one_of(name: str, patterns: tuple[str, ...]) -> bool:
    names, beginnings, others = _sorted_out(patterns)
    return name in names or name.startswith(beginnings) or any(fnmatchcase(name, pattern) for pattern in others)


@lru_cache
def _sorted_out(patterns: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
    """Whole names, beginnings of names, and the few that are more than that.

    One regular expression for all of them would take ten milliseconds to compile, before every first run.
    """
    names, beginnings, others = [], [], []
    for pattern in patterns:
        if _is_plain(pattern):
            names.append(pattern)
        elif _is_plain(pattern[:-1]) and pattern.endswith("*"):
            beginnings.append(pattern[:-1])
        else:
            others.append(pattern)
    return frozenset(names), tuple(beginnings), tuple(others)


def _is_plain(pattern: str) -> bool:
    return not any(special in pattern for special in "*?[")
