"""The valve: decides what may start now, hands it over, and ends jobs by recount. One is active per deployment."""
