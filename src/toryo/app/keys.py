"""Providers' keys, for the faces of Toryo: found, kept and removed; never shown."""

from toryo.adapters.keys import KEYED as KEYED
from toryo.adapters.keys import checked as checked
from toryo.adapters.keys import find_key as find_key
from toryo.adapters.keys import remove_key as remove_key
from toryo.adapters.keys import store_key as store_key
